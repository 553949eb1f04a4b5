import { describe, expect, test } from "vitest";
import { PLATFORMS, type Platform } from "../../src/core/platforms.ts";
import type { MediaKind, Post } from "../../src/platforms/connector.ts";
import { settingWords } from "../../src/platforms/kit/setting-words.ts";
import { connectorOf, connectors } from "../../src/platforms/registry.ts";

const file = (kind: MediaKind) => ({
  kind,
  mime: "x",
  sizeBytes: 1,
  width: null,
  height: null,
});

type Change = Partial<Omit<Post, "settings">> & { settings?: object };

function postOf(platform: Platform, { settings = {}, ...more }: Change): Post {
  const { values } = connectorOf(platform).settings.read({});
  return {
    title: "Title",
    description: "Description",
    media: [],
    ...more,
    settings: { ...(values as object), ...settings },
  };
}

const likenessOf = (platform: Platform, change: Change) =>
  connectorOf(platform).likeness(postOf(platform, change));

async function wordsOf(platform: Platform, change: Change): Promise<string[]> {
  const wording = await connectorOf(platform).describeSettings(postOf(platform, change));
  return wording.map(({ label, value }) => `${label}: ${value}`);
}

test("the texts of every platform are compared with what it is sent", () => {
  const compared = Object.keys(import.meta.glob("./*/likeness.test.ts"));
  expect(compared.sort()).toEqual(PLATFORMS.map((name) => `./${name}/likeness.test.ts`).sort());
});

describe("the likeness of a post", () => {
  test.each<[platform: Platform, change: Change, layout: string]>([
    ["tiktok", {}, "vertical"],
    ["instagram", { media: [file("image")] }, "gallery"],
    ["instagram", { media: [file("image"), file("video")] }, "gallery"],
    ["instagram", { media: [file("video")] }, "vertical"],
    ["instagram", { media: [file("image")], settings: { media_type: "STORIES" } }, "vertical"],
    ["facebook", { media: [file("video")] }, "feed"],
    ["facebook", { media: [file("video")], settings: { media_type: "REELS" } }, "vertical"],
    ["youtube", { media: [file("video")] }, "watch"],
    ["pinterest", { media: [file("image")] }, "pin"],
    ["linkedin", {}, "feed"],
    ["x", {}, "feed"],
  ])("%s %j is laid out as %s", async (platform, more, layout) => {
    expect(await likenessOf(platform, more)).toMatchObject({ layout });
  });

  test.each<[platform: Platform, change: Change, unpublished: string[]]>([
    ["tiktok", {}, []],
    ["tiktok", { title: "x".repeat(91) }, []],
    [
      "tiktok",
      { title: "x".repeat(91), description: "y".repeat(4_000) },
      [`${"x".repeat(91)}\n${"y".repeat(4_000)}`],
    ],
    [
      "tiktok",
      { media: [file("video")], settings: { post_mode: "DRAFT" } },
      ["Title\nDescription"],
    ],
    ["instagram", {}, ["Description"]],
    ["instagram", { title: " " }, []],
    ["instagram", { settings: { media_type: "STORIES" } }, ["Title"]],
    ["youtube", { settings: { youtube_title: "Own" } }, []],
    ["youtube", { settings: { tags: ["a".repeat(499), "b", "c"] } }, ["b, c"]],
    ["youtube", { media: [file("video"), file("image")] }, ["YouTube takes the video alone."]],
    ["pinterest", { title: null }, []],
    ["linkedin", {}, ["Title"]],
    ["linkedin", { media: [file("document")] }, []],
    ["facebook", {}, ["Title"]],
    ["facebook", { media: [file("video")] }, []],
    ["facebook", { media: [file("video")], settings: { media_type: "REELS" } }, []],
    [
      "facebook",
      { media: [file("image")], settings: { link: "https://a.example/" } },
      ["Title", "https://a.example/"],
    ],
    ["bluesky", { description: null }, []],
    ["threads", {}, ["Description"]],
    ["x", { description: "Title" }, []],
  ])("%s %j tells what is not published", async (platform, more, unpublished) => {
    const outcome = (await likenessOf(platform, more)).unpublished;
    expect(outcome).toEqual(unpublished.map((text) => ({ label: expect.any(String), text })));
  });
});

describe("settings in words", () => {
  const settings = connectors().flatMap((connector) =>
    Object.entries(connector.settings.infos).map(([name, info]) => ({
      platform: connector.platform,
      connector,
      name,
      info,
    })),
  );

  const SAMPLES = { string: "sample", boolean: true, integer: 1, array: ["sample"] };
  const FILES = [[], [file("image")], [file("video")]];

  test.each(settings)("$platform has words for $name", async ({ platform, name, info }) => {
    const values = info.type === "string" ? (info.values ?? []) : [];
    for (const value of [SAMPLES[info.type], false, ...values]) {
      const raw = values.includes(String(value)) ? `: ${value}` : null;
      for (const media of FILES) {
        const lines = await wordsOf(platform, { media, settings: { [name]: value } });
        expect(lines.filter((line) => line.startsWith(`${name}: `))).toEqual([]);
        if (raw) expect(lines.filter((line) => line.endsWith(raw))).toEqual([]);
      }
    }
  });

  test.each(connectors().map(({ platform }) => platform))(
    "%s says nothing of defaults that nobody asked for",
    async (platform) => {
      for (const media of FILES) {
        const lines = await wordsOf(platform, { media });
        expect(lines.filter((line) => /null|undefined|\[|true|false|: $/.test(line))).toEqual([]);
        expect(lines.length).toBeLessThanOrEqual(3);
      }
    },
  );

  test.each([
    ["tiktok", { privacy_level: "SELF_ONLY" }, "Who can see it: Only the account itself"],
    ["tiktok", { disable_comment: true }, "Comments: Off"],
    ["tiktok", { disable_comment: false }, "Comments: On"],
    ["tiktok", { video_cover_timestamp_ms: 1_500 }, "Cover: The frame at 1.5 s"],
    [
      "tiktok",
      { post_mode: "DRAFT" },
      "Publishing: Sent to the account's inbox on TikTok, to be finished there",
    ],
    ["instagram", { collaborators: ["ada", "bo"] }, "Collaborators: @ada, @bo"],
    ["instagram", { share_to_feed: true }, null],
    ["instagram", { cover_url: "https://cdn.example/a.jpg?x=1" }, "Cover: From cdn.example"],
    ["youtube", { categoryId: "28" }, "Category: Science & Technology"],
    ["youtube", { categoryId: "9999" }, "Category: No. 9999"],
    ["youtube", { allowedCountries: ["DE", "AT"] }, "Shown only in: Germany, Austria"],
    ["youtube", { scheduledDate: "2026-12-24T18:30:00.000Z" }, "Made public: 2026-12-24 18:30 UTC"],
    ["youtube", { defaultLanguage: "pt-BR" }, "Language: Brazilian Portuguese"],
    [
      "bluesky",
      { bluesky_labels: ["!no-unauthenticated"] },
      "Content warning: Only for people who are signed in",
    ],
    ["x", { x_poll_duration_minutes: 1_440 }, "Poll open for: 1 day"],
    ["x", { x_poll_duration_minutes: 90 }, "Poll open for: 90 minutes"],
    ["pinterest", { pinterest_board_id: null, board_id: "7" }, "Board: No. 7"],
    ["pinterest", { pinterest_cover_time_ms: "1500" }, "Cover: The frame at 2 s"],
    [
      "threads",
      { threads_reply_control: "mentioned_only" },
      "Who can reply: Accounts that are mentioned",
    ],
    ["bluesky", { colour: "red", none: null }, "colour: red"],
  ] as const)("%s %j", async (platform, settings, outcome) => {
    const media = [file("video")];
    const lines = await wordsOf(platform, { media, settings });
    if (outcome === null) expect(lines).toEqual(await wordsOf(platform, { media }));
    else expect(lines).toContain(outcome);
  });

  test("a setting without words is told as it is stored", () => {
    const post = { title: null, description: null, media: [] };
    const settings: object = { colour: "red", none: null };
    expect(settingWords({})({ ...post, settings })).toEqual([{ label: "colour", value: "red" }]);
  });

  const IMAGE = [file("image")];
  const VIDEO = [file("video")];
  const ON = { is_aigc: true };

  test.each<
    [platform: Platform, words: string, media: Post["media"], on: object, off: object | null]
  >([
    ["tiktok", "Made with AI", VIDEO, ON, { ...ON, post_mode: "DRAFT" }],
    ["tiktok", "TikTok adds some", IMAGE, { auto_add_music: true }, null],
    ["tiktok", "Photo 2", IMAGE, { photo_cover_index: 2, post_mode: "DRAFT" }, null],
    ["tiktok", "Duets: Off", VIDEO, { disable_duet: true }, null],
    ["instagram", "Made with AI", IMAGE, ON, { ...ON, media_type: "STORIES" }],
    ["instagram", "Shown among reels only", VIDEO, { share_to_feed: false }, null],
    [
      "instagram",
      "The frame at 1 s",
      VIDEO,
      { thumb_offset: 1_000 },
      { thumb_offset: 1_000, cover_url: "https://cdn.example/a.jpg" },
    ],
    ["facebook", "Made with AI", IMAGE, ON, null],
    ["facebook", "Made with AI", VIDEO, { ...ON, media_type: "REELS" }, ON],
    [
      "x",
      "Also shown to: Followers",
      [],
      { x_share_with_followers: true, x_community_id: "7" },
      { x_share_with_followers: true },
    ],
  ])("%s says %j of posts with which that goes out", async (platform, words, media, on, off) => {
    expect((await wordsOf(platform, { media, settings: on })).join()).toContain(words);
    const other = { media: media === IMAGE ? VIDEO : IMAGE, settings: on };
    const without = off ? { media, settings: off } : other;
    expect((await wordsOf(platform, without)).join()).not.toContain(words);
  });
});
