import { describe, expect, test } from "vitest";
import {
  altOf,
  layoutOf,
  ratioClass,
  shownLines,
  textsOf,
} from "../../../src/features/review/likeness.ts";
import { MAX_NOTE_CHARACTERS, MAX_REVIEWED } from "../../../src/features/review/rules.ts";
import { describeSettings, SETTING_WORDS } from "../../../src/features/review/settings-words.ts";
import {
  MAX_COMMENT_CHARACTERS,
  MAX_DECIDED_AT_ONCE,
} from "../../../src/features/uploads/change/decide.ts";
import { connectors } from "../../../src/platforms/registry.ts";

test("a client's note and a page of posts are within what decisions take", () => {
  expect([MAX_NOTE_CHARACTERS, MAX_REVIEWED]).toEqual([
    MAX_COMMENT_CHARACTERS,
    MAX_DECIDED_AT_ONCE,
  ]);
});

describe("settings in words", () => {
  const settings = connectors().flatMap(({ platform, settings }) =>
    Object.entries(settings.infos).map(([name, info]) => ({ platform, name, info })),
  );

  test.each(settings)("$platform has words for $name", ({ platform, name, info }) => {
    expect(SETTING_WORDS[platform]?.[name]).toBeDefined();
    for (const value of info.type === "string" ? (info.values ?? []) : []) {
      const said = describeSettings(platform, { [name]: value })[0]?.value;
      expect([value, said === value]).toEqual([value, false]);
    }
  });

  test.each(Object.keys(SETTING_WORDS))(
    "%s says nothing of defaults that nobody asked for",
    (one) => {
      const connector = connectors().find(({ platform }) => platform === one);
      const values = connector?.settings.read({}).values as Record<string, unknown>;
      const said = describeSettings(one, values);
      expect(
        said.every(({ value }) => value !== "" && !/null|undefined|\[|true|false/.test(value)),
      ).toBe(true);
      expect(said.length).toBeLessThanOrEqual(3);
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
    [
      "threads",
      { threads_reply_control: "mentioned_only" },
      "Who can reply: Accounts that are mentioned",
    ],
    ["tenth", { colour: "red", none: null }, "colour: red"],
  ] as const)("%s %j", (platform, settings, told) => {
    const said = describeSettings(platform, settings).map(
      ({ label, value }) => `${label}: ${value}`,
    );
    expect(said).toEqual(told === null ? [] : [told]);
  });
});

const file = (kind: string, width: number | null = null, height: number | null = null) => ({
  ...{ sha256: "a", mime: "x", sizeBytes: 1, width, height },
  kind: kind as "image",
});

const post = (platform: string, more: object = {}) => ({
  ...{ platform, title: "Title", description: "Description" },
  ...{ settings: {}, files: [] as ReturnType<typeof file>[] },
  ...more,
});

describe("the likeness of a post", () => {
  test.each([
    ["tiktok", {}, "vertical"],
    ["instagram", { files: [file("image")] }, "gallery"],
    ["instagram", { files: [file("image"), file("video")] }, "gallery"],
    ["instagram", { files: [file("video")] }, "vertical"],
    ["instagram", { files: [file("image")], settings: { media_type: "STORIES" } }, "vertical"],
    ["facebook", { files: [file("video")] }, "feed"],
    ["facebook", { files: [file("video")], settings: { media_type: "REELS" } }, "vertical"],
    ["youtube", { files: [file("video")] }, "watch"],
    ["pinterest", { files: [file("image")] }, "pin"],
    ["linkedin", {}, "feed"],
    ["x", {}, "feed"],
    ["tenth", {}, "feed"],
  ] as const)("%s %j is laid out as %s", (platform, more, layout) => {
    expect(layoutOf(post(platform, more))).toBe(layout);
  });

  test.each([
    ["tiktok", { files: [file("video")] }, null, "Title\nDescription", []],
    ["tiktok", { files: [file("image")] }, "Title", "Description", []],
    ["instagram", {}, null, "Title", ["Description"]],
    ["instagram", { title: " " }, null, "Description", []],
    ["instagram", { settings: { media_type: "STORIES" } }, null, "", ["Title"]],
    ["youtube", { settings: { youtube_title: "Own" } }, "Own", "Description", []],
    ["pinterest", { title: null }, "Untitled", "Description", []],
    ["linkedin", { description: "*i* **b**" }, null, "𝘪 𝗯", ["Title"]],
    ["facebook", {}, null, "Description", ["Title"]],
    ["facebook", { files: [file("video")] }, "Title", "Description", []],
    ["bluesky", { description: null }, null, "Title", []],
    ["x", { description: "Title" }, null, "Title", []],
  ] as const)("%s %j shows its texts", (platform, more, heading, text, unpublished) => {
    const texts = textsOf(post(platform, more));
    expect(texts).toEqual({
      ...{ heading, text },
      unpublished: unpublished.map((one) => ({ label: expect.any(String), text: one })),
    });
  });

  test.each([
    ["instagram", "Short", null],
    ["instagram", "a".repeat(91), 2],
    ["instagram", "a\nb\nc", 2],
    ["bluesky", "a\n".repeat(300), null],
    ["facebook", "a".repeat(226), 5],
  ])("%s shows so many lines at first", (platform, text, lines) => {
    expect(shownLines(platform, text)).toBe(lines);
  });

  test.each([
    [1_080, 1_920, "r9x16"],
    [1_080, 1_350, "r4x5"],
    [1_000, 1_000, "r1x1"],
    [1_200, 628, "r16x9"],
    [null, null, "r1x1"],
    [0, 5, "r1x1"],
  ])("%s x %s fits into %s", (width, height, name) => {
    expect(ratioClass(width, height)).toBe(name);
  });

  test.each([
    [{}, 0, 1, "The picture of the post"],
    [{}, 1, 3, "Picture 2 of 3"],
    [{ x_alt_text: "A pier" }, 1, 2, "A pier"],
    [{ bluesky_alt_text: ["A", "B"] }, 1, 2, "B"],
    [{ bluesky_alt_text: ["A"] }, 1, 2, "Picture 2 of 2"],
  ])("%j has an alternative text", (settings, at, count, text) => {
    expect(altOf(settings, at, count)).toBe(text);
  });
});
