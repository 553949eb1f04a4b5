import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { createCipher } from "../../../src/core/encryption.ts";
import { reencryptTargets } from "../../../src/features/notices/secrets.ts";
import { CHAT_URL, Desk, FROM, ORIGIN } from "../../support/desk.ts";
import type { Member } from "../../support/harness.ts";
import { newBrowser, readVapid } from "../../support/push-service.ts";

let desk: Desk;
let author: Member;

beforeEach(async () => {
  desk = await Desk.open();
  author = await desk.join();
});

const decide = async (columns: Record<string, string | null> = {}, comment = "Change it.") => {
  const id = await desk.post({ created_by: author.userId, ...columns });
  await desk.tell(id, "upload.changes_requested", { comment });
  await desk.harness.drainNotices();
  return id;
};

const TEAM_URL = "https://chat.example/services/T0/B0/secret-of-the-team";
const SECRETS = /secret-of-the|p256dh|auth":/;

const change = (json: object, { token } = author) =>
  desk.harness.call("PATCH", "/settings", { token, json });

test("a person's chat and the team's are told once each, with the post's address", async () => {
  await desk.set({ messaging: { own: CHAT_URL } }, author);
  await desk.set({ messaging: { team: TEAM_URL } });
  const id = await decide();
  const text = `*A client asked for changes to a post*
<${ORIGIN}/app/uploads/${id}|“Spring sale”>
Ada ${desk.owner.teamId} (Bluesky)
> Change it.`;
  const sent = desk.chats().toSorted((a, b) => (a.url < b.url ? -1 : 1));
  expect(sent).toEqual([
    { url: CHAT_URL, text },
    { url: TEAM_URL, text },
  ]);
  expect(desk.posts.every(({ redirect }) => redirect === "manual")).toBe(true);
});

test("what others wrote stays text in a chat and a mail", async () => {
  await desk.set({ messaging: { own: CHAT_URL } }, author);
  const text = "<!channel> & <https://evil.example|Open> \u202etxt.exe\r\nBcc: eve@example.com";
  const id = await decide({ description: text }, `${text}\n${"x".repeat(10_000)}`);
  const [{ text: message = "" } = {}] = desk.chats();
  expect(message.match(/<[^>]*>/g)).toEqual([
    `<${ORIGIN}/app/uploads/${id}|“&lt;!channel&gt; &amp; &lt;https://evil.example¦Open&gt; txt.exe Bcc: eve@example.com”>`,
  ]);
  expect(message.split("\n")).toHaveLength(4);
  expect(message.length).toBeLessThan(1_000);
  const [mail] = desk.mails;
  expect(mail?.subject).toBe("A client asked for changes to a post");
  expect(mail?.text).not.toMatch(/\u202e|\r|^Bcc/m);
});

test("the address of a chat is kept encrypted and never shown or logged", async () => {
  await desk.set({ messaging: { own: CHAT_URL } }, author);
  await desk.subscribe(author);
  const shown = await desk.settings(author);
  expect(shown.messaging).toEqual({
    own: { address: "https://chat.example/…", error: null },
    team: null,
  });
  expect(JSON.stringify(shown)).not.toMatch(SECRETS);
  const { results } = await env.DB.prepare("SELECT * FROM notice_targets").all();
  expect(JSON.stringify(results)).not.toMatch(SECRETS);
  desk.reply = () => new Response("secret-of-the-reply", { status: 403 });
  await decide();
  desk.reply = () => Promise.reject(new Error(`cannot reach ${CHAT_URL}`));
  await decide();
  expect(desk.posts).toHaveLength(4);
  expect(JSON.stringify(desk.harness.logs)).not.toMatch(SECRETS);
  expect((await desk.settings(author)).messaging.own.error).toBe("The connection failed.");
});

test.each([
  ["no address", "chat"],
  ["another scheme", "ftp://chat.example/x"],
  ["a private host", "https://192.168.1.1/x"],
  ["a password", "https://a:b@chat.example/x"],
  ["what was shown", "https://chat.example/…"],
  ["a long one", `https://chat.example/${"x".repeat(2_048)}`],
])("a chat is refused for %s, and nothing is changed", async (_, own) => {
  const answer = await change({ zone: "Asia/Tokyo", messaging: { own } }, desk.owner);
  expect(answer.status).toBe(400);
  expect(answer.body.errors[0].field).toBe("messaging.own");
  expect(await desk.settings()).toMatchObject({ zone: "UTC", messaging: { own: null } });
});

test("the team's chat is the owner's and the admins' to set; null removes one", async () => {
  expect((await change({ messaging: { team: TEAM_URL } })).status).toBe(403);
  await desk.set({ messaging: { team: TEAM_URL, own: CHAT_URL } });
  expect((await desk.settings(author)).messaging).toEqual({
    own: null,
    team: { address: "https://chat.example/…", error: null },
  });
  await desk.set({ messaging: { team: null } });
  expect((await desk.settings()).messaging).toMatchObject({ team: null, own: { error: null } });
});

test.each<[string, () => Response | Promise<Response>, posts: number, error: string | null]>([
  ["taken", () => new Response("ok"), 1, null],
  ["gone", () => new Response("no_service", { status: 404 }), 1, "It answered 404."],
  ["moved", () => Response.redirect("https://elsewhere.example", 302), 1, "It answered 302."],
  ["busy", () => new Response("", { status: 429 }), 2, "It answered 429."],
  ["broken", () => new Response("", { status: 500 }), 2, "It answered 500."],
  [
    "silent",
    () => Promise.reject(new DOMException("late", "TimeoutError")),
    2,
    "It did not answer within 10 seconds.",
  ],
])("a chat that is %s", async (_, reply, posts, error) => {
  await desk.set({ messaging: { own: CHAT_URL } }, author);
  desk.reply = reply;
  await decide();
  await desk.pass(3);
  expect(desk.posts).toHaveLength(posts);
  expect((await desk.settings(author)).messaging.own).toMatchObject({ error });
});

test("a chat that asks for time is given it, up to an hour", async () => {
  await desk.set({ messaging: { own: CHAT_URL } }, author);
  desk.replies = [() => new Response("", { status: 429, headers: { "retry-after": "600" } })];
  await decide();
  await desk.pass(9);
  expect(desk.posts).toHaveLength(1);
  await desk.pass(3);
  expect(desk.posts).toHaveLength(2);
  expect((await desk.settings(author)).messaging.own).toMatchObject({ error: null });
});

test("an address that was allowed once is judged again at each use", async () => {
  await desk.set({ messaging: { own: "http://127.0.0.1:9/chat" } }, author);
  desk.harness.deps.config = { ...desk.harness.deps.config, isDevelopment: false };
  await decide();
  expect(desk.posts).toEqual([]);
  expect((await desk.settings(author)).messaging.own.error).toBe(
    "Its address must be an https URL.",
  );
});

test("a browser reads what happened, sent by this instance and for it alone", async () => {
  const browser = await desk.subscribe(author);
  const { push } = await desk.settings(author);
  const id = await decide();
  const [sent] = desk.posts;
  expect(sent?.url).toBe(browser.endpoint);
  const { headers, bytes } = sent as (typeof desk.posts)[number];
  expect(Object.fromEntries(headers)).toMatchObject({
    "content-encoding": "aes128gcm",
    ttl: "86400",
    urgency: "normal",
  });
  expect(await readVapid(headers.get("authorization") ?? "")).toEqual({
    audience: new URL(browser.endpoint).origin,
    expiresAt: new Date(Date.now() + 12 * 3_600_000),
    subject: `mailto:${FROM}`,
    publicKey: push.publicKey,
  });
  expect(JSON.parse(await browser.decrypt(bytes))).toEqual({
    title: "A client asked for changes to a post",
    body: `“Spring sale”\nAda ${desk.owner.teamId} (Bluesky)\nChange it.`,
    path: `/app/uploads/${id}`,
  });
});

test("several posts are one message, which leads to their list; the longest fits", async () => {
  const browser = await desk.subscribe(author);
  for (let i = 0; i < 30; i++) {
    const post = { created_by: author.userId, description: "👋🏽".repeat(1_000) };
    await desk.tell(await desk.post(post), "upload.changes_requested");
  }
  await desk.harness.drainNotices();
  expect(desk.posts).toHaveLength(1);
  const [{ bytes }] = desk.posts as [(typeof desk.posts)[number]];
  expect(bytes.length).toBeLessThanOrEqual(4_096);
  expect(JSON.parse(await browser.decrypt(bytes))).toMatchObject({
    title: "A client asked for changes to 30 posts",
    path: "/app/uploads",
  });
});

test.each([404, 410])(
  "a browser whose service answers %i is forgotten, others are not",
  async (status) => {
    const [gone, kept] = [await desk.subscribe(author), await desk.subscribe(author)];
    desk.reply = () => new Response();
    desk.harness.network = async (input, init) =>
      new Response("", { status: new Request(input, init).url === gone.endpoint ? status : 201 });
    await decide();
    const { push } = await desk.settings(author);
    expect(push.browsers.map(({ id }: { id: number }) => id)).toEqual([kept.id]);
  },
);

test("a browser is renewed by its address, and goes with whoever uses it last", async () => {
  const first = await desk.subscribe(author);
  const again = await desk.subscribe(author, first.endpoint);
  expect(again.id).toBe(first.id);
  await decide();
  expect(JSON.parse(await again.decrypt(desk.posts[0]?.bytes as never))).toBeTruthy();
  await desk.subscribe(desk.owner, first.endpoint);
  expect((await desk.settings(author)).push.browsers).toEqual([]);
  expect((await desk.settings()).push.browsers).toHaveLength(1);
});

test("of many browsers the newest twenty are kept", async () => {
  for (let i = 0; i < 22; i++) await desk.subscribe(author);
  const { browsers } = (await desk.settings(author)).push;
  const { results } = await env.DB.prepare("SELECT MAX(id) AS id FROM notice_targets").all();
  expect(browsers).toHaveLength(20);
  expect(browsers[0].id).toBe(results[0]?.id);
});

test("a browser is removed by its own person alone", async () => {
  const { id } = await desk.subscribe(author);
  const remove = ({ token }: Member) =>
    desk.harness.call("DELETE", `/settings/push/${id}`, { token });
  expect((await remove(desk.owner)).status).toBe(404);
  expect((await remove(author)).status).toBe(200);
  expect((await remove(author)).status).toBe(404);
  await decide();
  expect(desk.posts).toEqual([]);
});

test.each<[string, (good: Awaited<ReturnType<typeof newBrowser>>) => object, field: string]>([
  ["a private address", (good) => ({ ...good, endpoint: "https://10.0.0.1/x" }), "endpoint"],
  ["http", (good) => ({ ...good, endpoint: "gopher://push.example/x" }), "endpoint"],
  ["no point", (good) => ({ ...good, keys: { ...good.keys, p256dh: "abc" } }), "keys"],
  ["no secret", (good) => ({ ...good, keys: { ...good.keys, auth: "abc" } }), "keys"],
  ["no keys", ({ endpoint }) => ({ endpoint }), "keys"],
  ["more than that", (good) => ({ ...good, userId: 1 }), "userId"],
])("a browser is refused for %s", async (_, toJson, field) => {
  const json = toJson(await newBrowser());
  const { token } = author;
  const answer = await desk.harness.call("POST", "/settings/push", { token, json });
  expect(answer.status).toBe(400);
  expect(answer.body.errors[0].field).toBe(field);
});

test("without keys of its own an instance sends nothing to browsers, and says so", async () => {
  await desk.subscribe(author);
  desk.harness.deps.config = { ...desk.harness.deps.config, vapid: null };
  await decide();
  expect(desk.posts).toEqual([]);
  expect(desk.mails).toHaveLength(1);
  expect((await desk.settings(author)).push.publicKey).toBeNull();
});

test("what a person set up goes to nobody of another team, and with the person", async () => {
  const stranger = await Desk.open();
  await stranger.set({ messaging: { team: TEAM_URL, own: CHAT_URL } });
  await stranger.subscribe();
  await decide();
  expect([...stranger.posts, ...desk.posts]).toEqual([]);
});

test("under a new key what is stored is encrypted anew, and goes on working", async () => {
  await desk.set({ messaging: { own: CHAT_URL } }, author);
  const browser = await desk.subscribe(author);
  const { deps } = desk.harness;
  const fresh = { id: "fresh", bytes: new Uint8Array(32).fill(9) };
  const encryptionKeys = [fresh, ...deps.config.encryptionKeys];
  Object.assign(deps, {
    config: { ...deps.config, encryptionKeys },
    cipher: createCipher(encryptionKeys),
  });
  expect(await reencryptTargets(deps, null)).toBeNull();
  const { results } = await env.DB.prepare("SELECT sealed FROM notice_targets").all();
  expect(results.every(({ sealed }) => String(sealed).startsWith("v1.fresh."))).toBe(true);
  deps.cipher = createCipher([fresh]);
  await decide();
  expect(desk.posts.map(({ url }) => url).toSorted()).toEqual([CHAT_URL, browser.endpoint]);
  deps.cipher = createCipher([{ id: "other", bytes: new Uint8Array(32).fill(3) }]);
  await decide();
  expect(desk.posts).toHaveLength(2);
  expect((await desk.settings(author)).messaging.own.error).toContain("cannot be read");
});
