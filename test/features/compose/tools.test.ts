import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { PLATFORMS } from "../../../src/core/platforms.ts";
import { callTool, send } from "../../support/agent.ts";
import {
  connectSandbox,
  createMember,
  createToken,
  form,
  Harness,
  joinTeam,
} from "../../support/harness.ts";
import { beginLife } from "../../support/life.ts";
import { uploadPresigned } from "../../support/presigned.ts";
import { photo } from "../../support/stage.ts";
import { testJpeg } from "../../support/videos.ts";

async function openAgent(...platforms: string[]) {
  const harness = new Harness();
  const member = await createMember();
  const accountIds: string[] = [];
  for (const platform of platforms) {
    accountIds.push(await connectSandbox(harness, member, "Ada", platform));
  }
  const run = (name: string, args: Record<string, unknown>, token = member.token) =>
    callTool(harness, token, name, args);
  return { harness, member, accountIds, run };
}

const PHOTO = "https://pictures.example/a.jpg";
const VIDEO = "https://films.example/a.mp4?size=large";

describe("create_post", () => {
  test("publishes to several accounts, and get_post_status follows each", async () => {
    const { harness, accountIds, run } = await openAgent("bluesky", "linkedin");
    const made = await run("create_post", { accountIds, text: "Words for two" });
    expect(made.isError).toBeFalsy();
    const { posts, message } = made.structuredContent;
    expect(message).toBe("2 of 2 accounts have the post.");
    const [first] = posts;
    const status = async () =>
      (await run("get_post_status", { postId: first.postId })).structuredContent;
    expect(await status()).toMatchObject({ state: "queued", url: null, text: "Words for two" });
    await harness.drain();
    expect(await status()).toMatchObject({
      state: "published",
      url: expect.stringMatching(/^https/),
      error: null,
    });
  });

  test("reports each account where some are refused", async () => {
    const { accountIds, run } = await openAgent("bluesky", "tiktok", "pinterest", "youtube");
    const made = await run("create_post", {
      accountIds: [...accountIds, "acc_none"],
      text: "Words",
    });
    expect(made.isError).toBeFalsy();
    const byPlatform = Object.fromEntries(
      made.structuredContent.posts.map((one: { platform: string | null }, i: number) => [
        one.platform ?? i,
        one,
      ]),
    );
    expect(byPlatform.bluesky).toMatchObject({ success: true, error: null });
    expect(byPlatform.tiktok).toMatchObject({
      success: false,
      error: expect.stringMatching(/settings\.tiktok\.privacyLevel is needed, one of PUBLIC/),
    });
    const refused = made.structuredContent.posts.filter(
      ({ success }: { success: boolean }) => !success,
    );
    expect(refused).toHaveLength(4);
    for (const { postId, error } of refused) {
      expect(postId).toBeNull();
      expect(error).toEqual(expect.any(String));
    }
  });

  test("is a failure as a whole when no account has the post", async () => {
    const { accountIds, run } = await openAgent("youtube");
    const made = await run("create_post", { accountIds, text: "No film" });
    expect(made.isError).toBe(true);
    expect(made.content[0].text).toMatch(/title/);
  });

  test("takes settings by platform in camelCase, and a title beside the text", async () => {
    const { harness, accountIds, run, member } = await openAgent("youtube", "tiktok", "x");
    const settings = {
      youtube: { privacyStatus: "unlisted", tags: ["one", "two"], notifySubscribers: false },
      tiktok: { privacyLevel: "SELF_ONLY", disableComment: true },
      x: { replySettings: "following" },
    };
    const args = { accountIds, text: "The text", title: "The title", mediaUrls: [VIDEO], settings };
    const { posts } = (await run("create_post", args)).structuredContent;
    expect(posts.map(({ error }: { error: unknown }) => error)).toEqual([null, null, null]);
    const read = async (id: number) =>
      (await harness.call("GET", `/upload/${id}`, { token: member.token })).body.data;
    const records = await Promise.all(posts.map(({ postId }: { postId: number }) => read(postId)));
    expect(records).toMatchObject([
      { platform: "youtube", title: "The title", description: "The text" },
      { platform: "tiktok", title: "The text", description: null },
      { platform: "x", title: "The text", description: null },
    ]);
  });

  test("takes stored files by mediaId, before those by address", async () => {
    const { harness, accountIds, run, member } = await openAgent("bluesky");
    const { token } = member;
    const stored = await harness.call("POST", "/media", { token, body: form({ file: photo() }) });
    const { mediaId } = stored.body.data;
    const args = { accountIds, text: "Two", mediaIds: [mediaId], mediaUrls: [PHOTO] };
    const { posts } = (await run("create_post", { ...args, status: "draft" })).structuredContent;
    const media = await env.DB.prepare("SELECT media FROM uploads WHERE id = ?")
      .bind(posts[0].postId)
      .first<string>("media");
    expect(JSON.parse(media ?? "")).toMatchObject([{ sha256: mediaId }, { url: PHOTO }]);
  });

  test.each<[string, object, RegExp]>([
    ["a setting that is none", { settings: { x: { color: "red" } } }, /color/],
    ["another platform", { settings: { myspace: {} } }, /myspace/],
    ["a value that is none", { settings: { tiktok: { privacyLevel: "ALL" } } }, /privacyLevel/],
    ["eleven files", { mediaUrls: Array(11).fill(PHOTO) }, /mediaUrls/],
    ["an id of no file", { mediaIds: ["f".repeat(64)] }, /mediaIds\[0\]: .*no longer stored/],
    ["an id that is none", { mediaIds: ["1"] }, /mediaIds\[0\]: must be the mediaId/],
    [
      "a file at a private address",
      { mediaUrls: [PHOTO, "http://10.0.0.1/a.jpg"] },
      /mediaUrls\[1\]: .*private network/,
    ],
    ["a date without an offset", { scheduleDate: "2026-12-24T10:00:00" }, /scheduleDate/],
    ["a date that is past", { scheduleDate: "2020-01-01T00:00:00Z" }, /schedule/i],
    ["a status of its own", { status: "completed" }, /status/],
    ["no accounts", { accountIds: [] }, /accountIds/],
    ["an argument that is none", { userId: 1 }, /userId/],
    ["a text that is none", { text: 5 }, /text/],
  ])("refuses %s, and says which it is", async (_, wrong, says) => {
    const { harness, accountIds, run } = await openAgent("bluesky");
    const refused = await run("create_post", { accountIds, text: "Words", ...wrong });
    expect(refused.isError).toBe(true);
    expect(refused.content[0].text).toMatch(says);
    expect(harness.sent).toEqual([]);
  });

  test("takes more than ten files where the others are presigned, as they are", async () => {
    const { harness, member, accountIds, run } = await openAgent("tiktok");
    const [type, bytes] = ["image/jpeg", testJpeg];
    const names = Array.from({ length: 12 }, (_, i) => `${i}.jpg`);
    const presigned = await Promise.all(
      names.map((name) =>
        uploadPresigned(harness, member.token, { route: "photos", type, bytes, name }),
      ),
    );
    const settings = { tiktok: { privacyLevel: "SELF_ONLY" } };
    const post = { accountIds, text: "Twelve", settings };
    const own = presigned.map(({ bucketUrl }) => bucketUrl);
    const made = await run("create_post", { ...post, mediaUrls: [...own, PHOTO] });
    expect(made.structuredContent.posts[0].error).toBeNull();
    const foreign = Array(11).fill(PHOTO);
    const refused = await run("create_post", { ...post, mediaUrls: [...own, ...foreign] });
    expect(refused.content[0].text).toMatch(/mediaUrls.*more than 10 addresses/s);
  });

  test("counts an address that only looks presigned, at another origin, as one to download", async () => {
    const { harness, accountIds, run } = await openAgent("tiktok");
    const key = (i: number) => `storage/presigned/1/${String(i).padStart(32, "0")}`;
    const mediaUrls = Array.from({ length: 11 }, (_, i) => `https://files.example/${key(i)}`);
    const settings = { tiktok: { privacyLevel: "SELF_ONLY" } };
    for (const name of ["create_post", "validate_post"]) {
      const { content } = await run(name, { accountIds, text: "Eleven", mediaUrls, settings });
      expect(content[0].text).toMatch(/mediaUrls.*more than 10 addresses/s);
    }
    expect(harness.sent).toEqual([]);
  });

  test("of a token without posts:publish is held, and says so", async () => {
    const { harness, member, accountIds, run } = await openAgent("bluesky");
    const token = await createToken(member.userId, { scopes: ["posts:write"] });
    const post = { accountIds, text: "Words" };
    const checked = await run("validate_post", post, token);
    expect(checked.structuredContent).toMatchObject({ valid: true, held: true });
    const made = await run("create_post", post, token);
    expect(made.structuredContent).toMatchObject({ held: true });
    expect(made.structuredContent.message).toMatch(/Held for approval/);
    await harness.drain();
    const { postId } = made.structuredContent.posts[0];
    const state = (await run("get_post_status", { postId })).structuredContent;
    expect(state).toMatchObject({ state: "awaiting_approval" });
  });

  test("with one idempotencyKey posts once, sent 100 times, 20 at once", async () => {
    const { harness, member, accountIds, run } = await openAgent("bluesky", "linkedin");
    const args = { accountIds, text: "Only once", idempotencyKey: "a-key" };
    const ids = new Set<string>();
    for (let round = 0; round < 5; round++) {
      const params = { name: "create_post", arguments: args };
      const answers = await Promise.all(
        Array.from({ length: 20 }, () =>
          send(harness, "tools/call", params, { token: member.token }),
        ),
      );
      for (const { body } of answers) {
        expect(body.result.isError).not.toBe(true);
        const { posts } = body.result.structuredContent;
        ids.add(posts.map(({ postId }: { postId: number }) => postId).join());
      }
    }
    expect(ids.size).toBe(1);
    const listed = (await run("list_recent_posts", {})).structuredContent;
    expect(listed.total).toBe(2);
    const other = await run("create_post", { ...args, text: "Something else" });
    expect(other).toMatchObject({ isError: true });
    expect(other.content[0].text).toMatch(/IDEMPOTENCY_MISMATCH/);
  });
});

test("validate_post takes the same arguments, and stores nothing", async () => {
  const { accountIds, run } = await openAgent("bluesky", "tiktok");
  const args = { accountIds, text: "w".repeat(301), idempotencyKey: "a-key" };
  const { valid, errors, targets } = (await run("validate_post", args)).structuredContent;
  expect(valid).toBe(false);
  expect(targets).toEqual([]);
  expect(errors.map(({ accountId }: { accountId: string }) => accountId).sort()).toEqual(
    [...accountIds].sort(),
  );
  const good = { accountIds: accountIds.slice(0, 1), text: "Words" };
  expect((await run("validate_post", good)).structuredContent).toMatchObject({
    valid: true,
    errors: [],
    targets: [{ accountId: accountIds[0], platform: "bluesky", scheduledFor: null }],
  });
  expect((await run("list_recent_posts", {})).structuredContent).toEqual({ posts: [], total: 0 });
});

test("list_recent_posts filters by account, platform and state, the newest first", async () => {
  const { harness, member, run } = await openAgent();
  const one = await connectSandbox(harness, member, "One");
  const two = await connectSandbox(harness, member, "Two");
  const three = await connectSandbox(harness, member, "Three", "linkedin");
  for (const [i, id] of [one, two, three, one].entries()) {
    harness.advance(1);
    await run("create_post", { accountIds: [id], text: `Text number ${i}`, status: "draft" });
  }
  const texts = async (filter: object) =>
    (await run("list_recent_posts", { ...filter })).structuredContent.posts.map(
      ({ text }: { text: string }) => text,
    );
  expect(await texts({ accountId: one })).toEqual(["Text number 3", "Text number 0"]);
  expect(await texts({ platform: "linkedin" })).toEqual(["Text number 2"]);
  expect(await texts({ status: "completed" })).toEqual([]);
  expect(await texts({ limit: 1 })).toEqual(["Text number 3"]);
  expect(await texts({ accountId: "acc_none" })).toEqual([]);
});

test("another team's accounts and posts are not there", async () => {
  const { accountIds, run } = await openAgent("bluesky");
  const { postId } = (await run("create_post", { accountIds, text: "Ours" })).structuredContent
    .posts[0];
  const stranger = await openAgent();
  for (const [name, args] of [
    ["get_post_status", { postId }],
    ["create_post", { accountIds, text: "Theirs" }],
    ["suggest_hashtags", { text: "Words", platform: "bluesky", accountId: accountIds[0] }],
  ] as const) {
    const refused = await stranger.run(name, args);
    expect(refused.isError).toBe(true);
    expect(refused.content[0].text).toMatch(/not found/);
    expect(refused.content[0].text).not.toMatch(/Ours|Ada/);
  }
  const { posts } = (await stranger.run("list_recent_posts", { accountId: accountIds[0] }))
    .structuredContent;
  expect(posts).toEqual([]);
});

test("create_review_link makes the page of a draft, for whoever may approve", async () => {
  const { harness, member, accountIds, run } = await openAgent("bluesky");
  const args = { accountIds, text: "For the client", status: "draft" };
  const { postId } = (await run("create_post", args)).structuredContent.posts[0];
  const made = (await run("create_review_link", { postIds: [postId] })).structuredContent;
  expect(made.postIds).toEqual([postId]);
  const page = await harness.request(new URL(made.url).pathname);
  expect(await page.text()).toMatch("For the client");
  const state = (await run("get_post_status", { postId })).structuredContent.state;
  expect(state).toBe("awaiting_approval");

  const guest = await createMember();
  await joinTeam(member.teamId, guest.userId, "MEMBER");
  const token = await createToken(guest.userId, { teamId: member.teamId });
  const refused = await run("create_review_link", {}, token);
  expect(refused.isError).toBe(true);
  expect(refused.content[0].text).toMatch(/FORBIDDEN/);
});

test("a member's token with X-Team-ID acts for that team", async () => {
  const { harness, member, accountIds } = await openAgent("bluesky");
  const guest = await createMember();
  await joinTeam(member.teamId, guest.userId, "MEMBER");
  const headers = { "x-team-id": String(member.teamId) };
  const result = await callTool(harness, guest.token, "list_accounts", {}, { headers });
  expect(result.structuredContent.accounts).toMatchObject([{ id: accountIds[0] }]);
});

test("get_platform_capabilities names the settings as create_post takes them", async () => {
  const { run } = await openAgent();
  const { structuredContent } = await run("get_platform_capabilities", { platform: "pinterest" });
  expect(Object.keys(structuredContent.settingsSchema)).toEqual([
    "boardId",
    "link",
    "altText",
    "coverTimeMs",
  ]);
  expect(structuredContent.settingsSchema.boardId).toEqual({
    ...{ required: true, type: "string", values: [] },
    description: "Needed. Id of the board that the pin goes onto, in digits.",
  });
  const { structuredContent: tiktok } = await run("get_platform_capabilities", {
    platform: "tiktok",
  });
  expect(tiktok.settingsSchema.privacyLevel).toMatchObject({
    required: true,
    values: expect.arrayContaining(["SELF_ONLY"]),
    description: expect.stringMatching(/^Needed\. Who sees the post\. SELF_ONLY when/),
  });
});

test.each<[string, object, RegExp]>([
  ["pinterest", { mediaUrls: [PHOTO] }, /Name the board: settings\.pinterest\.boardId is missing/],
  ["youtube", { mediaUrls: [VIDEO] }, /title/],
  ["tiktok", { mediaUrls: [VIDEO] }, /settings\.tiktok\.privacyLevel is needed/],
  ["threads", { text: "" }, /Write a text/],
  ["x", { text: "w".repeat(281) }, /Shorten the text/],
  ["bluesky", { text: "" }, /Write a text/],
  [
    "linkedin",
    { text: "Words", settings: { linkedin: { mediaType: "DOCUMENT" } } },
    /settings\.linkedin\.mediaType DOCUMENT needs a document in mediaUrls/,
  ],
  [
    "instagram",
    { mediaUrls: [VIDEO], settings: { instagram: { mediaType: "IMAGE" } } },
    /settings\.instagram\.mediaType IMAGE/,
  ],
  [
    "x",
    { settings: { x: { pollDurationMinutes: 60 } } },
    /settings\.x\.pollDurationMinutes needs settings\.x\.pollOptions/,
  ],
])("a refusal on %s names the arguments of the call (%j)", async (platform, args, says) => {
  const { accountIds, run } = await openAgent(platform);
  const made = await run("create_post", { accountIds, text: "Words", ...args });
  expect(made.isError).toBe(true);
  const [{ error, platform: named }] = made.structuredContent.posts;
  expect(named).toBe(platform);
  expect(error).toMatch(says);
  expect(error).not.toMatch(/[a-z]_[a-z]|description/);
  const checked = await run("validate_post", { accountIds, text: "Words", ...args });
  expect(checked.structuredContent.errors).toMatchObject([{ platform, error }]);
});

test("the settings of create_post are described in the names that it takes", async () => {
  const { harness, member } = await openAgent();
  const { body } = await send(harness, "tools/list", {}, { token: member.token });
  const byName = Object.fromEntries(
    body.result.tools.map((one: { name: string }) => [one.name, one]),
  );
  const { properties } = byName.create_post.inputSchema.properties.settings;
  expect(Object.keys(properties)).toHaveLength(PLATFORMS.length);
  for (const { properties: own } of Object.values<{ properties: object }>(properties)) {
    for (const [name, { description }] of Object.entries<{ description: string }>(own as never)) {
      expect(name).toMatch(/^[a-z][A-Za-z]*$/);
      expect(description, name).toMatch(/\w/);
      expect(description, name).not.toMatch(/[a-z]_[a-z]+_|comma-separated/);
    }
  }
});

test("a file larger than 200 MB fails its post, and get_post_status says what helps", async () => {
  const { harness, accountIds, run } = await openAgent("bluesky");
  harness.network = async () =>
    new Response("x", { headers: { "content-length": "200000001", "content-type": "image/png" } });
  const args = { accountIds, text: "With a photo", mediaUrls: [PHOTO] };
  const { postId } = (await run("create_post", args)).structuredContent.posts[0];
  await harness.drain();
  expect((await run("get_post_status", { postId })).structuredContent).toMatchObject({
    state: "failed",
    error: "The file at the media URL is larger than 200 MB.",
    nextAction: "replace_media",
    url: null,
  });
});

test("ten files are taken, and addresses of presigned uploads as they are, without a download", async () => {
  const { harness, member, accountIds, run } = await openAgent("instagram");
  const { bucketUrl } = await uploadPresigned(harness, member.token, {
    ...{ route: "instagram_photos", type: "image/jpeg", bytes: testJpeg },
  });
  const fetched: string[] = [];
  harness.network = async (input) => {
    fetched.push(new Request(input).url);
    return new Response(testJpeg);
  };
  const mediaUrls = [
    bucketUrl,
    ...Array.from({ length: 9 }, (_, i) => `https://p.example/${i}.png`),
  ];
  const made = await run("create_post", { accountIds, text: "Ten photos", mediaUrls });
  expect(made.structuredContent.posts).toMatchObject([{ success: true, error: null }]);
  await harness.drain();
  expect(fetched.sort()).toEqual(mediaUrls.slice(1).sort());
  const { postId } = made.structuredContent.posts[0];
  expect((await run("get_post_status", { postId })).structuredContent.state).toBe("published");
});

test("a post that a client sent back says what is to change", async () => {
  const life = await beginLife();
  const { harness, member } = life;
  const id = await life.insert({ status: "draft", review_comment: "Shorter, please" });
  const state = await callTool(harness, member.token, "get_post_status", { postId: id });
  expect(state.structuredContent).toMatchObject({
    state: "draft",
    reviewComment: "Shorter, please",
  });
});

test("unknown posts are told in the words of the tools", async () => {
  const { run } = await openAgent();
  const status = await run("get_post_status", { postId: 999_999_999 });
  expect(status.content[0].text).toBe("Post not found. (NOT_FOUND)");
  const link = await run("create_review_link", { postIds: [999_999_999] });
  expect(link.content[0].text).toMatch(/^Post 999999999 not found/);
  const none = await run("create_review_link", {});
  expect(none.content[0].text).toMatch(/name drafts in postIds/);
});
