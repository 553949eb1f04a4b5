import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { Authenticator } from "../../support/authenticator.ts";
import { eventNames } from "../../support/events.ts";
import { createMember, Harness, type Member } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";

let harness: Harness;
let member: Member;
let browser: Browser;
let device: Authenticator;

beforeEach(async () => {
  harness = new Harness();
  member = await createMember();
  browser = await new Browser(harness).signIn(member);
  device = await Authenticator.create();
});

async function step(from: Browser, name: string, json: unknown = {}) {
  const page = await from.send(`/sign-in/passkey/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof json === "string" ? json : JSON.stringify(json),
  });
  return { ...page, body: JSON.parse(page.html) };
}

async function register(name = "My key") {
  const { body } = await step(browser, "register-options");
  return step(browser, "register", { response: await device.register(body), name });
}

async function signIn(from: Browser) {
  const { body } = await step(from, "options");
  return step(from, "verify", { response: await device.signIn(body) });
}

const passkeys = async () => {
  const rows = env.DB.prepare("SELECT * FROM passkeys WHERE user_id = ?").bind(member.userId);
  return (await rows.all()).results;
};

test("a passkey is added by its person, and signs them in without a name", async () => {
  const { body: options } = await step(browser, "register-options");
  expect(options.rp).toEqual({ name: "Akimbo", id: "akimbo.test" });
  expect(options.authenticatorSelection).toMatchObject({
    residentKey: "required",
    userVerification: "required",
  });
  expect(await register()).toMatchObject({ status: 200, body: { success: true } });
  expect(await passkeys()).toMatchObject([{ name: "My key", counter: 0 }]);

  const other = new Browser(harness);
  const { body: challenge } = await step(other, "options");
  expect(challenge).toMatchObject({ userVerification: "required", rpId: "akimbo.test" });
  const answer = await signIn(other);
  expect([answer.status, answer.body]).toEqual([200, { success: true }]);
  expect((await other.get("/app")).status).toBe(200);
  expect(await passkeys()).toMatchObject([{ counter: 1 }]);
  expect(await eventNames(member.teamId)).toEqual(["security.login"]);
});

test("a key of Windows Hello, RS256, is added and signs in", async () => {
  device = await Authenticator.create("https://akimbo.test", "RS256");
  expect(await register("Windows Hello")).toMatchObject({ status: 200, body: { success: true } });
  const other = new Browser(harness);
  expect((await signIn(other)).status).toBe(200);
  expect((await other.get("/app")).status).toBe(200);
  const { body } = await step(other, "options");
  const response = await device.signIn(body);
  const signature = response.response.signature.replace(/^./, (first) =>
    first === "A" ? "B" : "A",
  );
  const forged = { ...response, response: { ...response.response, signature } };
  const refused = await step(other, "verify", { response: forged });
  expect([400, 401]).toContain(refused.status);
  expect(await passkeys()).toMatchObject([{ name: "Windows Hello", counter: 1 }]);
});

test("an answer is taken once", async () => {
  await register();
  const other = new Browser(harness);
  const { body } = await step(other, "options");
  const response = await device.signIn(body);
  expect((await step(other, "verify", { response })).status).toBe(200);
  const again = await step(other, "verify", { response });
  expect([again.status, again.body.code]).toEqual([400, "CHALLENGE_NOT_FOUND"]);
});

test("of twenty who give an answer at once, one is signed in", async () => {
  await register();
  const other = new Browser(harness);
  const { body } = await step(other, "options");
  const response = await device.signIn(body);
  const tries = Array.from({ length: 20 }, () => step(other, "verify", { response }));
  const statuses = (await Promise.all(tries)).map(({ status }) => status).sort();
  expect(statuses).toEqual([200, ...Array(19).fill(400)]);
  const sessions = env.DB.prepare("SELECT id FROM sessions WHERE user_id = ?").bind(member.userId);
  expect((await sessions.all()).results).toHaveLength(2);
});

test("of twenty who add a passkey by one challenge at once, one does", async () => {
  const { body } = await step(browser, "register-options");
  const devices = await Promise.all(Array.from({ length: 20 }, () => Authenticator.create()));
  const tries = devices.map(async (one) =>
    step(browser, "register", { response: await one.register(body) }),
  );
  const statuses = (await Promise.all(tries)).map(({ status }) => status).sort();
  expect(statuses).toEqual([200, ...Array(19).fill(400)]);
  expect(await passkeys()).toHaveLength(1);
});

test("a passkey is added once, and named to devices that would add it again", async () => {
  await register();
  const { body } = await step(browser, "register-options");
  const [{ credential_id }] = (await passkeys()) as [Record<string, unknown>];
  expect(body.excludeCredentials).toEqual([
    { id: credential_id, transports: ["internal"], type: "public-key" },
  ]);
  const again = await step(browser, "register", { response: await device.register(body) });
  expect([again.status, again.body.code]).toEqual([400, "FAILED_TO_VERIFY_REGISTRATION"]);
  expect(await passkeys()).toHaveLength(1);
});

test("a copy of a key whose counter is behind signs nobody in", async () => {
  await register();
  await env.DB.prepare("UPDATE passkeys SET counter = 7").run();
  const other = new Browser(harness);
  const answer = await signIn(other);
  expect([answer.status, answer.body.code]).toEqual([400, "AUTHENTICATION_FAILED"]);
  expect(await passkeys()).toMatchObject([{ counter: 7 }]);
  expect((await other.get("/app")).status).toBe(303);
});

test("an answer without the browser's challenge, or with one of the other kind, is refused", async () => {
  await register();
  const other = new Browser(harness);
  const { body } = await step(other, "options");
  const response = await device.signIn(body);
  const elsewhere = await step(new Browser(harness), "verify", { response });
  expect([elsewhere.status, elsewhere.body.code]).toEqual([400, "CHALLENGE_NOT_FOUND"]);
  await step(browser, "register-options");
  const mixed = await step(browser, "verify", { response });
  expect([mixed.status, mixed.body.code]).toEqual([400, "CHALLENGE_NOT_FOUND"]);
  expect((await step(other, "verify", { response })).status).toBe(200);
});

test("a browser whose session has ended forgets it, and signs in by passkey", async () => {
  await register();
  await env.DB.prepare("DELETE FROM sessions").run();
  const stale = await step(browser, "register-options");
  expect([stale.status, stale.body.code]).toEqual([401, "UNAUTHORIZED"]);
  expect(stale.headers.getSetCookie()).toEqual([
    "__Secure-akimbo.session_token=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax",
  ]);
  const answer = await signIn(browser);
  expect(answer.headers.getSetCookie()).toEqual([
    expect.stringMatching(
      /^__Secure-akimbo\.session_token=[0-9a-f]{64}\.[\w%]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    ),
  ]);
  expect((await browser.get("/app")).status).toBe(200);
});

test("a device that does not check its user adds no passkey, and signs nobody in", async () => {
  device.verifiesUser = false;
  const refused = await register();
  expect([refused.status, refused.body.code]).toEqual([400, "USER_NOT_VERIFIED"]);
  expect(await passkeys()).toEqual([]);
  device.verifiesUser = true;
  await register();
  device.verifiesUser = false;
  const other = new Browser(harness);
  const answer = await signIn(other);
  expect([answer.status, answer.body.code]).toEqual([400, "USER_NOT_VERIFIED"]);
  expect((await other.get("/app")).status).toBe(303);
});

test("a passkey of another site, an unknown one and a forged one sign nobody in", async () => {
  await register();
  const other = new Browser(harness);
  const foreign = await Authenticator.create("https://evil.example");
  const unknown = await Authenticator.create();
  for (const one of [foreign, unknown]) {
    const { body } = await step(other, "options");
    const answer = await step(other, "verify", { response: await one.signIn(body) });
    expect(answer.status).toBe(401);
  }
  const { body } = await step(other, "options");
  const response = await device.signIn(body);
  const stolen = { ...(await unknown.signIn(body)), id: response.id, rawId: response.rawId };
  expect((await step(other, "verify", { response: stolen })).status).toBe(401);
  expect((await other.get("/app")).status).toBe(303);
});

test("only somebody who signed in within a day adds a passkey", async () => {
  const stranger = await step(new Browser(harness), "register-options");
  expect([stranger.status, stranger.body.error]).toEqual([
    401,
    expect.stringContaining("signed out"),
  ]);
  harness.advance(86_400 + 1);
  const late = await step(browser, "register-options");
  expect([late.status, late.body.error]).toEqual([403, expect.stringContaining("sign in again")]);
});

test("the challenge of one person is of no use to another", async () => {
  const { body } = await step(browser, "register-options");
  const response = await device.register(body);
  await browser.signIn(await createMember());
  expect((await step(browser, "register", { response })).status).toBe(401);
  expect(await passkeys()).toEqual([]);
});

test.each([
  "",
  "null",
  "[]",
  "{}",
  '{"response":null}',
  '{"response":{"id":{}}}',
  '{"response":{"id":"x"}}',
  '{"response":{"id":"x","response":{"transports":1}}}',
])("what is no passkey is the caller's fault: %s", async (text) => {
  await step(browser, "register-options");
  const registered = await step(browser, "register", text);
  expect(registered.status).toBe(400);
  await step(browser, "options");
  const verified = await step(browser, "verify", text);
  expect([400, 401]).toContain(verified.status);
  for (const { body } of [registered, verified]) expect(body.error).toMatch(/again|add it/i);
});

test("an answer that is too large is refused before it is read", async () => {
  expect((await step(browser, "verify", "x".repeat(40_000))).status).toBe(413);
});

test("the script is ours, and the page allows no other", async () => {
  const script = await browser.get("/sign-in/passkey.js");
  expect(script.headers.get("content-type")).toContain("javascript");
  const page = await browser.get("/sign-in");
  expect(page.headers.get("content-security-policy")).toContain("script-src 'self'");
  expect(page.html).toContain('src="/sign-in/passkey.js"');
});
