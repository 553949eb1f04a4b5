import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createLinkToken, linkValue } from "../../../src/core/sign-in-link.ts";
import { eventNames } from "../../support/events.ts";
import { createMember, Harness, harnessWith } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";
import { askForLink, mailedLink, tokenOf, useLink } from "../../support/sign-in.ts";

async function start() {
  const harness = new Harness();
  const member = await createMember();
  return { harness, member, email: await emailOf(member), browser: new Browser(harness) };
}

async function emailOf({ userId }: { userId: number }): Promise<string> {
  const row = await env.DB.prepare("SELECT email FROM users WHERE id = ?").bind(userId).first();
  return String(row?.email);
}

async function sessionsOf({ userId }: { userId: number }): Promise<Record<string, unknown>[]> {
  const sessions = env.DB.prepare("SELECT * FROM sessions WHERE user_id = ?").bind(userId);
  return (await sessions.all()).results;
}

test("a link by mail signs in once, and leads on to the page that was asked for", async () => {
  const { harness, member, email, browser } = await start();
  expect((await browser.get("/sign-in?next=%2Fapp%3Fx%3D1")).html).toContain('value="/app?x=1"');
  const link = await askForLink(harness, browser, { email, next: "/app?x=1" });
  const opened = await browser.get(link);
  expect(opened.status).toBe(200);
  expect(opened.html).toContain('value="/app?x=1"');
  const used = await useLink(browser, link);
  expect(used).toMatchObject({ status: 303, location: "/app?x=1" });
  expect((await browser.get("/app")).status).toBe(200);
  expect(await eventNames(member.teamId)).toEqual(["security.login"]);

  const again = await useLink(new Browser(harness), link);
  expect(again.status).toBe(410);
  expect(again.html).toContain('href="/sign-in"');
  expect(await sessionsOf(member)).toHaveLength(1);
});

test("the cookie is for this site alone, and neither it nor the link stands in the database", async () => {
  const { harness, email, browser } = await start();
  const link = await askForLink(harness, browser, { email });
  const before = await env.DB.prepare("SELECT * FROM verifications").all();
  expect(JSON.stringify(before.results)).not.toContain(tokenOf(link));
  const { headers } = await useLink(browser, link);
  const [cookie = ""] = headers.getSetCookie();
  expect(cookie).toMatch(/^__Secure-akimbo\.session_token=/);
  for (const attribute of ["HttpOnly", "Secure", "SameSite=Lax", "Max-Age=2592000"]) {
    expect(cookie).toContain(attribute);
  }
  const [token = ""] = decodeURIComponent(cookie.split("=")[1] ?? "").split(".");
  const after = await env.DB.prepare("SELECT * FROM sessions").all();
  expect(JSON.stringify(after.results)).not.toContain(token);
});

test("of twenty who use a link at once, one is signed in", async () => {
  const { harness, member, email, browser } = await start();
  const link = await askForLink(harness, browser, { email });
  const uses = Array.from({ length: 20 }, () => useLink(new Browser(harness), link));
  const statuses = (await Promise.all(uses)).map(({ status }) => status).sort();
  expect(statuses).toEqual([303, ...Array(19).fill(410)]);
  expect(await sessionsOf(member)).toHaveLength(1);
});

test("a mail scanner that opens the link uses nothing up", async () => {
  const { harness, email, browser } = await start();
  const link = await askForLink(harness, browser, { email });
  for (const method of ["GET", "HEAD", "GET"]) {
    const opened = await new Browser(harness).send(link, { method });
    expect([opened.status, opened.headers.getSetCookie()]).toEqual([200, []]);
  }
  expect((await useLink(browser, link)).status).toBe(303);
});

test("a link is over after 15 minutes", async () => {
  const { harness, email, browser } = await start();
  const link = await askForLink(harness, browser, { email });
  harness.advance(15 * 60 + 1);
  expect((await useLink(browser, link)).status).toBe(410);
});

test.each([
  "",
  "0",
  "f".repeat(32),
  "x".repeat(100_000),
  "' OR 1=1 --",
  "../../etc",
  "é".repeat(20),
])("a forged token is told from none: %#", async (token) => {
  const { browser } = await start();
  expect((await browser.post("/sign-in/link", { token })).status).toBe(410);
});

test("a stranger reads what everybody reads, and gets no mail", async () => {
  const { harness, email, browser } = await start();
  const member = await browser.post("/sign-in", { email: ` ${email.toUpperCase()} ` });
  expect(await mailedLink(harness)).not.toBeNull();
  harness.logs.length = 0;
  const stranger = await browser.post("/sign-in", { email: "stranger@example.com" });
  expect(stranger).toMatchObject({ status: member.status, location: member.location });
  expect(await mailedLink(harness)).toBeNull();
  const users = env.DB.prepare("SELECT * FROM users WHERE email = 'stranger@example.com'");
  expect((await users.all()).results).toEqual([]);
});

test("an instance in development says that its mail is in the terminal", async () => {
  const { browser } = await start();
  for (const path of ["/sign-in", "/sign-in/sent"]) {
    expect((await browser.get(path)).html).toContain("in the terminal of npm start");
  }
});

test("an instance without mail promises none", async () => {
  const browser = new Browser(harnessWith({ isDevelopment: false, emailFrom: null }));
  expect((await browser.get("/sign-in")).html).toContain("This server sends no mail");
  const sent = await browser.post("/sign-in", { email: "ada@example.com" });
  expect(sent).toMatchObject({ status: 303, location: "/sign-in" });
});

test.each(["", "nobody", "a@b", "a b@example.com", `${"a".repeat(300)}@example.com`])(
  "what is no address is said to be none: %j",
  async (email) => {
    const { browser } = await start();
    const page = await browser.post("/sign-in", { email });
    expect([page.status, page.html]).toEqual([
      400,
      expect.stringContaining("not an e-mail address"),
    ]);
  },
);

async function invite(teamId: number, userId: number, email: string): Promise<void> {
  await env.DB.prepare(
    `INSERT INTO invites (team_id, token_hash, email, is_addressed, role, invited_by, created_at, expires_at)
     VALUES (?1, ?2, ?3, 1, 'MEMBER', ?4, ?5, ?6)`,
  )
    .bind(teamId, `hash of ${email}`, email, userId, Date.now(), Date.now() + 86_400_000)
    .run();
}

test("whoever an invite names becomes a person with a team of their own", async () => {
  const { harness, member, browser } = await start();
  await invite(member.teamId, member.userId, "new@example.com");
  const link = await askForLink(harness, browser, { email: "new@example.com", next: "/app" });
  expect((await useLink(browser, link)).status).toBe(303);
  const home = await browser.get("/app");
  expect([home.status, home.html]).toEqual([200, expect.stringContaining("new@example.com")]);
});

test("an invite that is gone when its link is used lets nobody in", async () => {
  const { harness, member, browser } = await start();
  await invite(member.teamId, member.userId, "late@example.com");
  const link = await askForLink(harness, browser, { email: "late@example.com" });
  await env.DB.prepare("UPDATE invites SET revoked_at = 1 WHERE email = 'late@example.com'").run();
  const page = await useLink(browser, link);
  expect([page.status, page.html]).toEqual([403, expect.stringContaining("Ask for a new invite")]);
  expect((await browser.get("/app")).status).toBe(303);
});

test("five links wait for one address at most", async () => {
  const { harness, email, browser } = await start();
  for (let i = 0; i < 8; i++) await browser.post("/sign-in", { email });
  await harness.settle();
  const mails = harness.logs.filter((entry) => "text" in entry);
  expect(mails).toHaveLength(5);
});

test("signing in again makes another session and ends the browser's old one", async () => {
  const { harness, member, email, browser } = await start();
  await useLink(browser, await askForLink(harness, browser, { email }));
  const [first] = await sessionsOf(member);
  await useLink(browser, await askForLink(harness, browser, { email }));
  const sessions = await sessionsOf(member);
  expect(sessions).toHaveLength(1);
  expect(sessions[0]?.token_hash).not.toBe(first?.token_hash);
});

test("a browser that was given a cookie by somebody else gets another", async () => {
  const { harness, email, browser } = await start();
  const planted = await new Browser(harness).signIn(await createMember());
  const link = await askForLink(harness, browser, { email });
  const { headers } = await useLink(planted, link);
  expect(headers.getSetCookie()).toHaveLength(1);
  expect((await planted.get("/app")).html).toContain(email);
});

test("what a browser calls itself is cut to 300 characters", async () => {
  const { harness, member, email, browser } = await start();
  const link = await askForLink(harness, browser, { email });
  await browser.send("/sign-in/link", {
    method: "POST",
    headers: { "user-agent": "x".repeat(5_000) },
    body: new URLSearchParams({ token: tokenOf(link) }),
  });
  expect(await sessionsOf(member)).toMatchObject([{ user_agent: "x".repeat(300) }]);
});

test("signing out ends the session, and the browser forgets it", async () => {
  const { harness, member, browser } = await start();
  await browser.signIn(member);
  const page = await browser.post("/sign-in/out");
  expect(page).toMatchObject({ status: 303, location: "/sign-in" });
  expect(await sessionsOf(member)).toEqual([]);
  expect((await browser.get("/app")).status).toBe(303);
  expect((await new Browser(harness).post("/sign-in/out")).status).toBe(303);
});

test.each([
  "https://evil.example/",
  "//evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "/%0d%0aSet-Cookie:x=1\r\nx",
  "javascript:alert(1)",
  "app",
  "",
  "/",
  "/oauth/start/00",
  "/connect/1-00",
  "/app/../oauth/start/00",
  "/app/%2e%2e/oauth/start/00",
  "/invite/..//oauth/start/00",
  "/apple",
  "/device_authorization",
  "/sandbox",
])("the sign-in leads to no other place than a page of ours: %j", async (next) => {
  const { harness, email, browser } = await start();
  const form = await browser.get(`/sign-in?next=${encodeURIComponent(next)}`);
  expect(form.html).not.toContain('name="next"');
  const link = await askForLink(harness, browser, { email, next });
  expect(link).not.toContain("next=");
  const used = await browser.post("/sign-in/link", { token: tokenOf(link), next });
  expect(used).toMatchObject({ status: 303, location: "/app" });
});

test.each(["/sign-in", "/sign-in/link", "/sign-in/out", "/sign-in/passkey/verify"])(
  "a form from another site is refused at %s",
  async (path) => {
    const { browser } = await start();
    for (const headers of [{ "sec-fetch-site": "cross-site" }, { "sec-fetch-site": "same-site" }]) {
      expect((await browser.send(path, { method: "POST", headers })).status).toBe(403);
    }
  },
);

test("a production server without mail tells no link, and says how to get one", async () => {
  const harness = harnessWith({ isDevelopment: false });
  const email = await emailOf(await createMember());
  const browser = new Browser(harness);
  const page = await browser.get("/sign-in");
  expect(page.html).toContain("npm run signin-link -- --remote --email");
  expect(page.html).not.toContain('type="email"');
  await browser.post("/sign-in", { email });
  await harness.settle();
  expect(JSON.stringify(harness.logs)).not.toMatch(/token=|sign-in\/link\?/);
});

test("a link that the operator made signs in", async () => {
  const { member, email, browser } = await start();
  const { token, identifier } = await createLinkToken();
  await env.DB.prepare(
    `INSERT INTO verifications (identifier, value, created_at, updated_at, expires_at)
     VALUES (?1, ?2, ?3, ?3, ?4)`,
  )
    .bind(identifier, linkValue(email), Date.now(), Date.now() + 1_000)
    .run();
  expect((await browser.post("/sign-in/link", { token })).status).toBe(303);
  expect(await sessionsOf(member)).toHaveLength(1);
});

test("a link of the operator signs in somebody who shares their address but for its case", async () => {
  const { harness, email, browser } = await start();
  const other = await createMember();
  const capital = email.replace("person", "Person");
  await env.DB.prepare("UPDATE users SET email = ?, shares_address = 1 WHERE id = ?")
    .bind(capital, other.userId)
    .run();
  const { token, identifier } = await createLinkToken();
  await env.DB.prepare(
    `INSERT INTO verifications (identifier, value, created_at, updated_at, expires_at)
     VALUES (?1, ?2, ?3, ?3, ?4)`,
  )
    .bind(
      identifier,
      linkValue(`person-${other.userId}@akimbo.invalid`),
      Date.now(),
      Date.now() + 1_000,
    )
    .run();
  expect((await browser.post("/sign-in/link", { token })).status).toBe(303);
  expect(await sessionsOf(other)).toHaveLength(1);
  expect((await browser.get("/app/me")).html).toContain(capital);
  const page = await new Browser(harness).post("/sign-in", {
    email: `person-${other.userId}@akimbo.invalid`,
  });
  expect([page.status, page.html]).toEqual([400, expect.stringContaining("not an e-mail address")]);
});

test("whoever holds an open invite gives an address, signs in by its link, and joins", async () => {
  const { harness, member, browser } = await start();
  const invited = await harness.call("POST", "/teams/invites", {
    token: member.token,
    json: { role: "ADMIN" },
  });
  const path = new URL(invited.body.data.inviteLink).pathname;
  const fields = { email: "holder@example.com", next: path };
  const answer = await browser.post(path, fields);
  expect([answer.status, answer.location]).toEqual([307, "/sign-in"]);
  const used = await useLink(browser, await askForLink(harness, browser, fields));
  expect(used).toMatchObject({ status: 303, location: path });
  expect((await browser.get(path)).html).toContain("You are signed in as holder@example.com");
  expect((await browser.post(`${path}/accept`)).location).toBe("/app/team?done=joined");
  expect((await browser.get("/app/team")).html).toContain("2 members");
});
