import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createApi, ensureSandboxAccounts } from "../../../src/cli/api.ts";
import { CAROUSEL, VIDEO } from "../../../src/cli/bridge/local-tools.ts";
import { inProject } from "../../../src/cli/paths.ts";
import { createGradientPng } from "../../../src/cli/png.ts";
import { createSampleVideoHead } from "../../../src/cli/sample-video.ts";
import { PLATFORMS } from "../../../src/core/platforms.ts";
import { testJpeg } from "../../support/videos.ts";
import { type LocalService, startLocalService } from "../local-service.ts";
import { BridgeClient } from "./client.ts";

const FILM_BYTES = 40_000_000;
const POLL_MS = 250;
const PUBLISH_TIMEOUT_MS = 60_000;

let service: LocalService;
let folder: string;
let photos: string[];
let jpegs: string[];
let film: string;
let [tiktok, youtube, facebook, bluesky] = ["", "", "", ""];
let bridge: BridgeClient;

/** A small photo that no other is like: a comment behind its first mark tells them apart. */
const createJpeg = (mark: number): Uint8Array =>
  Buffer.concat([
    testJpeg.subarray(0, 2),
    Buffer.from([0xff, 0xfe, 0, 3, mark]),
    testJpeg.subarray(2),
  ]);

const startBridge = (env: Record<string, string> = {}, args: string[] = []) =>
  new BridgeClient(process.execPath, [inProject("src/cli/akimbo.ts"), "mcp", ...args], {
    cwd: join(folder, "allowed"),
    env: {
      ...process.env,
      ...{ AKIMBO_URL: service.origin, AKIMBO_TOKEN: service.token, STATE_DIR: folder },
      // npm notes here where it was called; the tests are called from elsewhere.
      INIT_CWD: undefined,
      ...env,
    },
  });

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "akimbo-bridge-"));
  const allowed = join(folder, "allowed");
  await mkdir(allowed);
  jpegs = Array.from({ length: 35 }, (_, i) => `photo-${i}.jpg`);
  for (const [i, name] of jpegs.entries()) await writeFile(join(allowed, name), createJpeg(i));
  photos = Array.from({ length: 3 }, (_, i) => `photo-${i}.png`);
  for (const [i, name] of photos.entries()) {
    const picture = {
      width: 400,
      height: 400,
      from: [i * 7, 20, 90],
      to: [250, 90, i * 7],
    } as const;
    const png = createGradientPng({ ...picture, from: [...picture.from], to: [...picture.to] });
    await writeFile(join(allowed, name), png);
  }
  film = join(allowed, "film.mp4");
  await writeFile(film, createSampleVideoHead(`bridge ${Math.random()}`, FILM_BYTES));
  await truncate(film, FILM_BYTES);
  await writeFile(join(folder, "secret.png"), "outside");
  await symlink(join(folder, "secret.png"), join(allowed, "innocent.png"));
  await writeFile(join(allowed, "notes.txt"), "no photo");
  service = await startLocalService();
  const platforms = ["tiktok", "youtube", "facebook", "bluesky"];
  const ids = await ensureSandboxAccounts(createApi(service.origin, service.token), platforms);
  [tiktok = "", youtube = "", facebook = "", bluesky = ""] = ids;
  bridge = startBridge();
});

after(async () => {
  const code = await bridge?.end();
  await service?.stop();
  await rm(folder, { recursive: true });
  assert.equal(code, 0);
});

/** The post once it is out. The API is asked: the agent endpoint counts its calls. */
async function untilPublished(postId: number) {
  for (const deadline = Date.now() + PUBLISH_TIMEOUT_MS; ; await sleep(POLL_MS)) {
    const { data } = await service.api("GET", `/upload/${postId}`);
    if (data.status === "completed") return data;
    assert.notEqual(data.status, "failed", JSON.stringify(data));
    assert.ok(Date.now() < deadline, JSON.stringify(data));
  }
}

const journals = () => readdir(join(folder, "uploads")).catch(() => [] as string[]);

test("an agent shakes hands and finds the instance's tools beside those for local files", async () => {
  const { serverInfo, instructions } = await bridge.shakeHands();
  assert.equal(serverInfo.name, "akimbo");
  assert.ok(instructions.includes(join(folder, "allowed")));
  const { result } = await bridge.request("tools/list");
  const names = result.tools.map(({ name }: { name: string }) => name);
  assert.equal(names.length, 13);
  assert.deepEqual(names.slice(11), ["publish_carousel", "publish_video"]);
  const [createPost, carousel, video] = ["create_post", "publish_carousel", "publish_video"].map(
    (name) => result.tools.find((tool: { name: string }) => tool.name === name),
  );
  const { mediaUrls: _, mediaIds: __, ...shared } = createPost.inputSchema.properties;
  assert.deepEqual(carousel.inputSchema.properties, {
    paths: carousel.inputSchema.properties.paths,
    ...shared,
  });
  assert.equal(carousel.inputSchema.properties.paths.maxItems, 35);
  assert.deepEqual(video.inputSchema.required, ["path", "accountIds", "text"]);
  assert.equal(video.inputSchema.additionalProperties, false);
  assert.deepEqual(video.outputSchema, createPost.outputSchema);
  assert.equal(video.annotations.destructiveHint, true);
});

test("tools of the instance are passed on, and so are their refusals", async () => {
  const { structuredContent } = await bridge.call("list_accounts", { platform: "bluesky" });
  assert.equal(structuredContent.accounts[0].id, bluesky);
  const refused = await bridge.call("get_post_status", { postId: 999_999 });
  assert.equal(refused.isError, true);
  const { error } = await bridge.call("publish_everything", {});
  assert.equal(error.code, -32_602);
});

test("a carousel of local photos goes to several accounts, each with its own result", async () => {
  const result = await bridge.call("publish_carousel", {
    accountIds: [facebook, bluesky, "acc_0"],
    text: "Three views",
    paths: photos,
  });
  assert.ok(!result.isError, JSON.stringify(result));
  const { posts } = result.structuredContent;
  const made = posts.filter(({ success }: { success: boolean }) => success);
  assert.deepEqual(made.map(({ accountId }: { accountId: string }) => accountId).sort(), [
    ...[facebook, bluesky].sort(),
  ]);
  for (const { postId } of made) {
    await untilPublished(postId);
    const { structuredContent: post } = await bridge.call("get_post_status", { postId });
    assert.match(post.url, /^https:/);
    assert.deepEqual([post.state, post.text], ["published", "Three views"]);
  }
});

test("thirty-five photos are one post of TikTok", async () => {
  const result = await bridge.call("publish_carousel", {
    accountIds: [tiktok],
    text: "All of them",
    paths: jpegs,
    settings: { tiktok: { privacyLevel: "SELF_ONLY" } },
  });
  assert.ok(!result.isError, JSON.stringify(result));
  await untilPublished(result.structuredContent.posts[0].postId);
});

test("a local film is sent with progress; the same call again sends and posts nothing", async () => {
  const args = {
    accountIds: [youtube],
    text: "About the film",
    title: "From this machine",
    path: "film.mp4",
    idempotencyKey: "the film, once",
  };
  const result = await bridge.call("publish_video", args, { progressToken: "film" });
  assert.ok(!result.isError, JSON.stringify(result));
  const told = bridge.notices
    .filter(({ params }) => params.progressToken === "film")
    .map(({ params }) => params);
  assert.ok(told.length >= 1);
  const progress = told.map((one) => one.progress);
  assert.deepEqual(
    progress,
    [...new Set(progress)].sort((one, other) => one - other),
  );
  assert.deepEqual([told.at(-1).progress, told.at(-1).total], [FILM_BYTES, FILM_BYTES]);
  const { postId } = result.structuredContent.posts[0];
  assert.equal((await untilPublished(postId)).title, "From this machine");

  const again = await bridge.call("publish_video", args, { progressToken: "again" });
  assert.equal(again.structuredContent.posts[0].postId, postId);
  const { pagination } = await service.api("GET", "/upload?search=From%20this%20machine");
  assert.equal(pagination.total, 1);
});

test("two calls of the same files at once send them once, and both post", async () => {
  const before = await journals();
  await writeFile(join(folder, "allowed", "twice.jpg"), createJpeg(200));
  const post = { text: "At once", paths: ["twice.jpg"] };
  const results = await Promise.all(
    [facebook, bluesky].map((id) => bridge.call("publish_carousel", { ...post, accountIds: [id] })),
  );
  for (const { structuredContent } of results) {
    assert.equal(structuredContent.posts[0].success, true, JSON.stringify(structuredContent));
    await untilPublished(structuredContent.posts[0].postId);
  }
  assert.equal((await journals()).length, before.length + 1);
});

test("a call that is cancelled stops sending, and the same call later goes on", async () => {
  const bytes = 120_000_000;
  const long = join(folder, "allowed", "long.mp4");
  await writeFile(long, createSampleVideoHead("long", bytes));
  await truncate(long, bytes);
  const args = { accountIds: [youtube], text: "", title: "A long film", path: "long.mp4" };
  const isTold = ({ params }: { params: { progressToken: string } }) =>
    params.progressToken === "long";
  let ended: unknown;
  void bridge.call("publish_video", args, { progressToken: "long" }).then((result) => {
    ended = result;
  });
  while (!bridge.notices.some(isTold)) {
    assert.equal(ended, undefined, JSON.stringify(ended));
    await sleep(5);
  }
  bridge.cancel();
  await bridge.call("list_accounts", {});
  assert.ok(bridge.notices.filter(isTold).at(-1).params.progress < bytes);

  const again = await bridge.call("publish_video", args);
  assert.ok(!again.isError, JSON.stringify(again));
  await untilPublished(again.structuredContent.posts[0].postId);
  const { pagination } = await service.api("GET", "/upload?search=A%20long%20film");
  assert.equal(pagination.total, 1);
});

test("files outside the folder, links that lead there and what is no photo are refused", async () => {
  const before = await journals();
  const post = { accountIds: [facebook], text: "A secret" };
  const large = join(folder, "allowed", "large.jpg");
  await writeFile(large, createJpeg(201));
  await truncate(large, CAROUSEL.maxBytes + 1);
  for (const [paths, words] of [
    [[join(folder, "secret.png")], /outside the folders/],
    [["../secret.png"], /outside the folders/],
    [["innocent.png"], /outside the folders/],
    [["photo-0.png", "/etc/hostname"], /outside the folders/],
    [["none.png"], /There is no file none\.png/],
    [["notes.txt"], /not an image/],
    [["film.mp4"], /takes JPEG, PNG or WebP/],
    [["large.jpg"], /large\.jpg has 20,000,001 bytes, and publish_carousel takes up to 20,000,000/],
    [[], /paths: /],
    [Array.from({ length: 36 }, () => "photo-0.png"), /paths: /],
    ["photo-0.png", /paths: /],
  ] as const) {
    const refused = await bridge.call("publish_carousel", { ...post, paths });
    assert.equal(refused.isError, true, String(paths));
    assert.match(refused.content[0].text, words);
  }
  await truncate(film, VIDEO.maxBytes + 1);
  const tooLarge = await bridge.call("publish_video", { ...post, path: "film.mp4" });
  assert.match(tooLarge.content[0].text, /takes up to 5,000,000,000/);
  const asVideo = await bridge.call("publish_video", { ...post, path: "photo-0.png" });
  assert.match(asVideo.content[0].text, /takes MP4, MOV, WebM or M4V/);
  assert.deepEqual(await journals(), before);
});

test("what the instance would refuse is refused before a byte is sent", async () => {
  const before = await journals();
  const [fresh, longer] = [join(folder, "allowed", "fresh.mp4"), FILM_BYTES + 1];
  await writeFile(fresh, createSampleVideoHead("fresh", longer));
  await truncate(fresh, longer);
  const post = { text: "Anything", path: "fresh.mp4" };
  const untitled = await bridge.call("publish_video", { ...post, accountIds: [youtube] });
  assert.equal(untitled.isError, true);
  assert.match(untitled.content[0].text, /title/);
  assert.equal(untitled.structuredContent, undefined);
  const both = { ...post, accountIds: [facebook], paths: ["fresh.mp4"] };
  const unknown = await bridge.call("publish_video", both);
  assert.match(unknown.content[0].text, /paths/);
  const wrong = await bridge.call("publish_video", { ...post, accountIds: youtube });
  assert.equal(wrong.isError, true);
  assert.match(wrong.content[0].text, /accountIds/);
  await truncate(fresh, 1_100_000_000);
  const large = await bridge.call("publish_video", { ...post, accountIds: [facebook] });
  assert.match(large.content[0].text, /facebook takes videos of up to 1,000,000,000 bytes/);
  const eleven = { text: "Eleven", accountIds: [facebook], paths: jpegs.slice(5, 16) };
  for (const [i, name] of eleven.paths.entries()) {
    await writeFile(join(folder, "allowed", name), createJpeg(100 + i));
  }
  const many = await bridge.call("publish_carousel", eleven);
  assert.equal(many.isError, true);
  assert.match(many.content[0].text, /facebook takes up to 10 files in a post, not 11/);
  const heavy = join(folder, "allowed", "heavy.jpg");
  await writeFile(heavy, createJpeg(202));
  await truncate(heavy, 4_000_001);
  const tooHeavy = { text: "Heavy", accountIds: [facebook], paths: ["heavy.jpg"] };
  const heavier = await bridge.call("publish_carousel", tooHeavy);
  assert.match(heavier.content[0].text, /images of up to 4,000,000 bytes, and heavy\.jpg has/);
  assert.deepEqual(await journals(), before);
});

test("a client of the revision 2026-07-28 needs no handshake", async (t) => {
  const other = startBridge({}, ["--allow", folder]);
  t.after(() => other.end());
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "a-test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const { result } = await other.request("tools/list", { _meta: meta });
  assert.equal(result.tools.length, 13);
  const accounts = await other.call("list_accounts", {}, meta);
  assert.equal(accounts.structuredContent.accounts.length, PLATFORMS.length);
  assert.equal(await other.end(), 0);
});

test("started at the root, it wants to be told the folders", async () => {
  const args = [inProject("src/cli/akimbo.ts"), "mcp"];
  const env = {
    ...{ ...process.env, INIT_CWD: undefined },
    ...{ AKIMBO_URL: service.origin, AKIMBO_TOKEN: service.token },
  };
  const atRoot = new BridgeClient(process.execPath, args, { cwd: "/", env });
  assert.match(await atRoot.errors, /by --allow and a folder/);
  assert.equal(await atRoot.end(), 1);
});

test("a token that does not work and an instance that is not there are told", async (t) => {
  const stranger = startBridge({ AKIMBO_TOKEN: `kmb_${"6".repeat(64)}` });
  t.after(() => stranger.end());
  await stranger.shakeHands();
  const refused = await stranger.call("list_accounts", {});
  assert.equal(refused.isError, true);
  assert.match(refused.content[0].text, /answers 401\. Missing or invalid API token/);
  assert.equal(await stranger.end(), 0);
  assert.doesNotMatch(await stranger.errors, /kmb_6/);

  const lonely = startBridge({ AKIMBO_URL: "http://localhost:9" });
  t.after(() => lonely.end());
  await lonely.shakeHands();
  const askedAt = performance.now();
  const { result } = await lonely.request("tools/list");
  assert.ok(performance.now() - askedAt < 6_000);
  const own = await bridge.request("tools/list");
  const namesOf = (tools: { name: string }[]) => tools.map(({ name }) => name);
  assert.deepEqual(namesOf(result.tools), namesOf(own.result.tools));
  for (const { description } of result.tools) {
    assert.match(
      description,
      /^Out of reach for now\. http:\/\/localhost:9\/mcp cannot be reached/,
    );
  }
  const lost = await lonely.call("list_accounts", {});
  assert.match(lost.content[0].text, /cannot be reached.*Try again in a minute/s);
  assert.equal(await lonely.end(), 0);
});
