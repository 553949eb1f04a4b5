import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { PLATFORMS, type Platform } from "../../../src/core/platforms.ts";
import { connectorOf } from "../../../src/platforms/registry.ts";
import { connectMeasured, measuredPost } from "../../platforms/measured.ts";
import { callTool } from "../../support/agent.ts";
import { createMember, type Fields, form, Harness, type Member } from "../../support/harness.ts";
import { PoolTeam } from "../../support/pools.ts";
import { follow, mp4, photo, stageOf } from "../../support/stage.ts";
import { testJpeg, verticalMp4 } from "../../support/videos.ts";

/** Alternative texts that the simulated platform has of two photos, described as A and B. */
const OF_TWO: Record<Platform, string[] | null> = {
  tiktok: ["", ""],
  instagram: ["A", "B"],
  youtube: null,
  facebook: ["A", "B"],
  linkedin: ["A", "B"],
  pinterest: ["A", "A"],
  bluesky: ["A", "B"],
  threads: ["A", "B"],
  x: ["A", "B"],
  mastodon: ["A", "B"],
  telegram: ["", ""],
  discord: ["A", "B"],
  google_business: null,
};

const TAKES_VIDEO: readonly Platform[] = ["pinterest", "bluesky", "threads", "mastodon", "discord"];
const LIMITS: Record<Platform, number | null> = {
  tiktok: null,
  instagram: 1_000,
  youtube: null,
  facebook: 1_000,
  linkedin: 4_086,
  pinterest: 500,
  bluesky: 1_000,
  threads: 1_000,
  x: 1_000,
  mastodon: 1_500,
  telegram: null,
  discord: 1_024,
  google_business: null,
};

const TAKERS = PLATFORMS.filter((platform) => LIMITS[platform] !== null);
const WITH_VIDEOS = PLATFORMS.filter((platform) =>
  connectorOf(platform).capabilities.mediaSupport.kinds.includes("video"),
);
const WITH_PHOTOS = PLATFORMS.filter((platform) => OF_TWO[platform] !== null);

let harness: Harness;
let owner: Member;

beforeEach(async () => {
  harness = new Harness();
  owner = await createMember();
});

const jpegs = (count: number) =>
  Array.from({ length: count }, (_, i) => new Blob([testJpeg, `${i} ${Math.random()}`]));
/** Above the least that LinkedIn takes. */
const film = () => mp4(new Uint8Array([...verticalMp4, ...new Uint8Array(80_000)]));

const send = (path: string, fields: Fields) =>
  harness.call("POST", path, { token: owner.token, body: form(fields) });

async function accountOn(platform: Platform) {
  const accountId = await connectMeasured(harness, owner, platform);
  const usual = await measuredPost(owner, platform, `Hello from ${platform}`);
  const { photo: _, video: __, ...texts } = usual;
  const stage = stageOf(harness, owner, accountId, () => texts);
  const altsIn = async () => (await stage.feed())[0].media.map(({ alt }: { alt: string }) => alt);
  return { ...stage, texts, altsIn };
}

describe("each platform", () => {
  test.each(WITH_PHOTOS)("%s gets the text of each photo", async (platform) => {
    const account = await accountOn(platform);
    const { body } = await account.send({ photo: jpegs(2), alt_text: ["A", "B"] });
    const unsent = (OF_TWO[platform] ?? []).some((alt, i) => alt !== ["A", "B"][i]);
    expect(JSON.stringify(body.data.warnings ?? []).includes("The alt text of file")).toBe(unsent);
    expect(await follow(account, body.data.uploadId)).toMatchObject({ status: "completed" });
    expect(await account.altsIn()).toEqual(OF_TWO[platform]);
  });

  test.each(WITH_VIDEOS)("%s shows that of a video, or the answer warns", async (platform) => {
    const account = await accountOn(platform);
    const { body } = await account.send({ video: film(), alt_text: "A pier" });
    const isTaken = TAKES_VIDEO.includes(platform);
    const { name } = connectorOf(platform);
    const warning = `${name}: The alt text of file 1 is not published, because ${name} takes none for it.`;
    expect((body.data.warnings ?? []).includes(warning)).toBe(!isTaken);
    expect(await follow(account, body.data.uploadId)).toMatchObject({ status: "completed" });
    expect(await account.altsIn()).toEqual([isTaken ? "A pier" : ""]);
  });

  test.each(TAKERS)("%s refuses a text over its limit, by field and file", async (platform) => {
    const limit = LIMITS[platform] ?? 0;
    const account = await accountOn(platform);
    const position = platform === "pinterest" ? 1 : 2;
    const texts = (characters: number) =>
      Array.from({ length: position }, (_, i) =>
        i + 1 === position ? "x".repeat(characters) : "Short",
      );
    const photos = { photo: jpegs(2), description: "Photos", title: "Photos" };
    const long = await account.send({ ...photos, alt_text: JSON.stringify(texts(limit + 1)) });
    expect(long.status).toBe(400);
    expect(long.body.errors).toEqual([
      { field: "alt_text", message: expect.stringContaining(`alt_text of file ${position}:`) },
    ]);
    const exact = await account.send({ ...photos, alt_text: JSON.stringify(texts(limit)) });
    expect(exact.status, JSON.stringify(exact.body)).toBe(200);
  });

  test("the capabilities name the limits", () => {
    const limits = PLATFORMS.map((platform) => [
      platform,
      connectorOf(platform).capabilities.limits.altTextCharacters,
    ]);
    expect(Object.fromEntries(limits)).toEqual(LIMITS);
  });
});

describe("the field", () => {
  test.each<[what: string, altText: string | string[], alts: string[]]>([
    ["one text is of all files", "Both", ["Both", "Both"]],
    ["a text in brackets is a text", "[Doors]", ["[Doors]", "[Doors]"]],
    ["a JSON array", '["A","B"]', ["A", "B"]],
    ["an empty text leaves a file out", ["", " B "], ["", "B"]],
    ["fewer texts than files", '["A"]', ["A", ""]],
    ["empty texts beyond the files", ["A", "", "", ""], ["A", ""]],
    ["an empty text", "", ["", ""]],
  ])("%s", async (_, alt_text, alts) => {
    const account = await accountOn("bluesky");
    const id = await account.post({ photo: jpegs(2), alt_text });
    await follow(account, id);
    expect(await account.altsIn()).toEqual(alts);
  });

  test("describes the files of the form, then those behind URLs", async () => {
    const account = await accountOn("threads");
    const photos = ["https://example.com/a.jpg", photo()];
    const id = await account.post({ photo: photos, alt_text: ["File", "URL"] });
    const row = await env.DB.prepare("SELECT media FROM uploads WHERE id = ?").bind(id).first();
    expect(JSON.parse(String(row?.media))).toMatchObject([
      { sha256: expect.any(String), altText: "File" },
      { url: "https://example.com/a.jpg", altText: "URL" },
    ]);
  });

  test.each<Platform>(["bluesky", "threads", "x"])(
    "describes the files of a thread on %s, and the platform's own setting those of its first post",
    async (platform) => {
      const account = await accountOn(platform);
      const id = await account.post({
        photo: jpegs(3),
        alt_text: ["A", "B", "C"],
        ...(platform === "threads" ? {} : { [`${platform}_alt_text`]: "Own" }),
        thread: JSON.stringify([
          { text: "Two", media: [1] },
          { text: "Three", media: [2] },
        ]),
      });
      await follow(account, id);
      const posts: { media: { alt: string }[] }[] = await account.feed();
      const alts = posts.map(({ media }) => media.map(({ alt }) => alt).join());
      expect(alts.toSorted()).toEqual([platform === "threads" ? "A" : "Own", "B", "C"].toSorted());
    },
  );

  test.each<[what: string, fields: Fields, message: string]>([
    [
      "more texts than files",
      { photo: jpegs(1), alt_text: ["A", "B"] },
      "alt_text: send at most one for each file (1 here); 2 were sent.",
    ],
    [
      "a text without a file",
      { alt_text: "A" },
      "alt_text: send at most one for each file (0 here); 1 were sent.",
    ],
    [
      "a list with other things than texts",
      { photo: jpegs(2), alt_text: '[null,"B"]' },
      'alt_text: a JSON array has texts alone; send "" for a file without one.',
    ],
    [
      "broken text",
      { photo: jpegs(1), alt_text: '["\\ud800"]' },
      "alt_text: has characters that are not valid Unicode.",
    ],
  ])("is refused for %s", async (_, fields, message) => {
    const account = await accountOn("bluesky");
    const refused = await account.send(fields);
    expect(refused).toMatchObject({
      status: 400,
      body: { errors: [{ field: "alt_text", message }] },
    });
    const accounts = JSON.stringify([account.accountId]);
    const checked = await send("/upload/validate", { accounts, description: "Hi", ...fields });
    expect(checked.body).toMatchObject({ valid: false, errors: [{ error: message }] });
  });

  test("a text beyond every limit is refused even where it would be left out", async () => {
    const account = await accountOn("tiktok");
    const refused = await account.send({ photo: jpegs(1), alt_text: "x".repeat(5_001) });
    expect(refused.body.errors).toEqual([
      {
        field: "alt_text",
        message: "alt_text: that of file 1 must have at most 5,000 characters.",
      },
    ]);
  });

  test.each<[platform: Platform, own: string]>([
    ["x", "x_alt_text"],
    ["bluesky", "bluesky_alt_text"],
    ["threads", "threads_alt_text"],
  ])("of %s alone wins: %s", async (platform, own) => {
    const account = await accountOn(platform);
    const id = await account.post({ photo: jpegs(2), alt_text: ["A", "B"], [own]: "Own" });
    await follow(account, id);
    expect(await account.altsIn()).toEqual(["Own", "Own"]);
  });

  test("the same text and files with another alternative text are a duplicate", async () => {
    const account = await accountOn("bluesky");
    const [picture] = jpegs(1);
    await account.post({ photo: picture ?? "", alt_text: "A" });
    const again = await account.send({ photo: picture ?? "", alt_text: "B" });
    expect(again.body.violations).toMatchObject([{ type: "duplicate_content" }]);
  });

  test("of a file behind a URL is kept when the file is downloaded", async () => {
    harness.network = async () => new Response(testJpeg);
    const account = await accountOn("bluesky");
    const id = await account.post({ photo: "https://example.com/a.jpg", alt_text: "A pier" });
    await follow(account, id);
    expect(await account.altsIn()).toEqual(["A pier"]);
  });
});

describe("a batch", () => {
  test("takes one for all, with overrides by platform and account", async () => {
    const one = await accountOn("bluesky");
    const [two, three] = [await accountOn("linkedin"), await accountOn("threads")];
    const all = [one, two, three];
    const overrides = JSON.stringify({
      linkedin: { alt_text: ["L1", "L2"] },
      [three.accountId]: { alt_text: "T" },
      threads: { alt_text: "not this" },
    });
    const { body } = await send("/upload/bulk", {
      accounts: JSON.stringify(all.map(({ accountId }) => accountId)),
      title: "Doors",
      description: "Doors",
      photo: jpegs(2),
      alt_text: "Shared",
      overrides,
    });
    const ids = body.results.map(({ uploadId }: { uploadId: number }) => uploadId);
    await follow(one, ...ids);
    expect(await Promise.all(all.map(({ altsIn }) => altsIn()))).toEqual([
      ["Shared", "Shared"],
      ["L1", "L2"],
      ["T", "T"],
    ]);
  });

  test("warns and refuses account by account, when it is checked too", async () => {
    const [tiktok, x] = [await accountOn("tiktok"), await accountOn("x")];
    const fields = {
      ...tiktok.texts,
      accounts: JSON.stringify([tiktok.accountId, x.accountId]),
      photo: jpegs(1),
      alt_text: "x".repeat(1_001),
    };
    const long = "Shorten alt_text of file 1: X takes 1,000 characters, it has 1,001.";
    const { body } = await send("/upload/validate", fields);
    expect(body).toMatchObject({
      valid: false,
      errors: [{ accountId: x.accountId, error: long }],
      targets: [{ accountId: tiktok.accountId }],
    });
    expect(body.targets[0].warnings).toContain(
      "TikTok: The alt text of file 1 is not published, because TikTok takes none for it.",
    );
    const made = await send("/upload/bulk", fields);
    expect(made.body.results).toMatchObject([
      { success: true, warnings: expect.arrayContaining(body.targets[0].warnings) },
      { success: false, error: long },
    ]);
  });
});

test("a pool's item keeps them, as a field, in the options and in a list", async () => {
  const team = await PoolTeam.make();
  const { id } = await team.pool();
  await team.add(id, { title: "One", photo: [photo(), photo()], alt_text: ["A", "B"] });
  await team.add(id, { title: "Two", photo: photo(), metadata: '{"alt_text":"C"}' });
  const tooMany = await team.add(id, { photo: photo(), alt_text: ["A", "B"] });
  expect(tooMany.body.errors).toMatchObject([{ field: "alt_text" }]);
  const { body } = await team.call("POST", `/pools/${id}/videos/bulk`, {
    items: [{ title: "Three", videoUrl: "https://example.com/a.mp4", altText: "x".repeat(5_001) }],
  });
  expect(body.errors).toMatchObject([{ field: "items.0.alt_text" }]);
  const feed = stageOf(team.harness, team.member, team.accountId).feed;
  const alts = async () => (await feed())[0].media.map(({ alt }: { alt: string }) => alt);
  await team.runUntil("2026-12-01T09:31:00Z");
  expect(await alts()).toEqual(["A", "B"]);
  team.moveTo("2026-12-02T09:29:00Z");
  await team.runUntil("2026-12-02T09:31:00Z");
  expect(await alts()).toEqual(["C"]);
});

describe("an agent", () => {
  const mediaUrls = ["https://example.com/a.jpg", "https://example.com/b.jpg"];

  test("sends altTexts beside mediaUrls, and each refusal names them", async () => {
    const { accountId } = await accountOn("bluesky");
    const run = async (args: object) => {
      const call = { accountIds: [accountId], text: "Doors", mediaUrls, ...args };
      return (await callTool(harness, owner.token, "validate_post", call)).structuredContent;
    };
    expect(await run({ altTexts: ["A", "B"] })).toMatchObject({ valid: true });
    expect((await run({ altTexts: ["A", "B", "C"] })).errors).toMatchObject([
      { error: "altTexts: send at most one for each file (2 here); 3 were sent." },
    ]);
    expect((await run({ altTexts: ["A", "x".repeat(1_001)] })).errors).toMatchObject([
      { error: "Shorten altTexts of file 2: Bluesky takes 1,000 characters, it has 1,001." },
    ]);
  });

  test("posts with them, and a platform's own setting wins", async () => {
    harness.network = async () => new Response(new Blob([testJpeg, String(Math.random())]));
    const x = await accountOn("x");
    const made = await callTool(harness, owner.token, "create_post", {
      ...{ accountIds: [x.accountId], text: "Doors", mediaUrls, altTexts: ["A", "B"] },
      settings: { x: { altText: "Own" } },
    });
    const [{ postId }] = made.structuredContent.posts;
    expect(await follow(x, postId)).toMatchObject({ status: "completed" });
    expect(await x.altsIn()).toEqual(["Own", "Own"]);
  });
});
