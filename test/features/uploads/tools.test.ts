import { describe, expect, test } from "vitest";
import { suggestHashtags } from "../../../src/features/uploads/hashtags.ts";
import { callTool, send } from "../../support/agent.ts";
import {
  connectSandbox,
  createMember,
  createToken,
  Harness,
  joinTeam,
} from "../../support/harness.ts";
import { uploadPresigned } from "../../support/presigned.ts";
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

  test.each<[string, object, RegExp]>([
    ["a setting that is none", { settings: { x: { color: "red" } } }, /color/],
    ["another platform", { settings: { myspace: {} } }, /myspace/],
    ["a value that is none", { settings: { tiktok: { privacyLevel: "ALL" } } }, /privacyLevel/],
    ["eleven files", { mediaUrls: Array(11).fill(PHOTO) }, /mediaUrls/],
    ["a file at a private address", { mediaUrls: ["http://10.0.0.1/a.jpg"] }, /mediaUrls/],
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

  test("of a token without posts:publish is held, and says so", async () => {
    const { harness, member, accountIds, run } = await openAgent("bluesky");
    const token = await createToken(member.userId, { scopes: ["posts:write"] });
    const made = await run("create_post", { accountIds, text: "Words" }, token);
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
        if (body.result.isError) {
          expect(body.result.content[0].text).toMatch(/IDEMPOTENCY_IN_PROGRESS/);
          continue;
        }
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
});

test.each<[string, string, string[], string[], string[]]>([
  ["those in the text first", "Hello #World of bread", [], [], ["#World", "#hello", "#bread"]],
  [
    "own ones that fit",
    "Fresh bread",
    ["#breadlovers", "#cats", "#breadlovers"],
    [],
    ["#breadlovers", "#fresh", "#bread", "#cats"],
  ],
  ["none that is hidden", "Bread #spam", ["#spam"], ["spam"], ["#bread"]],
  ["no words that say nothing", "This is about what would be", [], [], []],
  ["other scripts", "Свежий хлеб", ["#хлеб"], [], ["#хлеб", "#свежий"]],
  ["no addresses and mentions", "See https://bread.example/fresh @baker", [], [], []],
])("suggest_hashtags gives %s", (_, text, posts, banned, expected) => {
  const found = suggestHashtags(text, posts, { banned, limit: 10 });
  expect(found.map(({ hashtag }) => hashtag)).toEqual(expected);
});
