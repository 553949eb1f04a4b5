import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { createMember, Harness, joinTeam, type Member } from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";
import { Browser } from "../../support/person.ts";
import { askForLink, mailedLink, useLink } from "../../support/sign-in.ts";

const harness = new Harness();
let owner: Member;

beforeEach(async () => {
  owner = await createMember();
});

async function invite(json: object = { role: "MEMBER" }) {
  const { token } = owner;
  const { body } = await harness.call("POST", "/teams/invites", { token, json });
  return { id: body.data.id as number, path: new URL(body.data.inviteLink).pathname };
}

const emailOf = async ({ userId }: Member): Promise<string> => {
  const user = env.DB.prepare("SELECT email FROM users WHERE id = ?").bind(userId);
  return (await user.first<{ email: string }>())?.email ?? "";
};

const roleOf = async ({ userId }: Member) => {
  const row = await env.DB.prepare("SELECT role FROM members WHERE team_id = ? AND user_id = ?")
    .bind(owner.teamId, userId)
    .first<{ role: string }>();
  return row?.role ?? null;
};

const givenFor = async ({ teamId }: Member): Promise<unknown[]> => {
  const { results } = await env.DB.prepare(
    `SELECT a.email FROM invite_addresses a JOIN invites i ON i.id = a.invite_id
     WHERE i.team_id = ? ORDER BY a.email`,
  )
    .bind(teamId)
    .all();
  return results.map(({ email }) => email);
};

const visitor = () => new Browser(harness);
const browserOf = (who: Member) => new Browser(harness).signIn(who);

test("a stranger reads who invites where, in one round trip, and nothing is used up", async () => {
  const { path } = await invite({ role: "ADMIN" });
  for (let i = 0; i < 3; i++) {
    const { result, costs } = await measure(harness, () => visitor().get(path));
    expect(result.status).toBe(200);
    expect(result.html).toContain("A person invites you to the team A team, as admin.");
    expect(result.html).toContain(`action="${path}"`);
    expect(costs.roundTrips).toHaveLength(1);
    expect(costs.rowsWritten).toBe(0);
  }
});

test("an invite with an address leads to the sign-in with it, and back", async () => {
  const { path } = await invite({ role: "MEMBER", email: "guest@example.com" });
  const { html } = await visitor().get(path);
  expect(html).toContain('action="/sign-in"');
  expect(html).toContain('name="email" value="guest@example.com"');
  expect(html).toContain(`name="next" value="${path}"`);
});

test("an open invite takes an address and passes the form on to the sign-in", async () => {
  const { path } = await invite();
  const wrong = await visitor().post(path, { email: "nobody", next: path });
  expect(wrong.status).toBe(400);
  expect(wrong.html).toContain("not an e-mail address");
  const sent = await visitor().post(path, { email: "Guest@Example.com", next: path });
  expect(sent).toMatchObject({ status: 307, location: "/sign-in" });
  expect(await givenFor(owner)).toEqual(["guest@example.com"]);
});

test("somebody who is signed in joins by a button, and sees the team", async () => {
  const guest = await createMember();
  const { path } = await invite({ role: "ADMIN", email: await emailOf(guest) });
  const browser = await browserOf(guest);
  const { result: page, costs } = await measure(harness, () => browser.get(path));
  expect(page.html).toContain(`action="${path}/accept"`);
  expect(costs.roundTrips).toHaveLength(1);
  const joined = await browser.post(`${path}/accept`);
  expect(joined).toMatchObject({ status: 303, location: "/app/team?done=joined" });
  expect(await roleOf(guest)).toBe("ADMIN");
  const team = await browser.get("/app/team?done=joined");
  expect(team.html).toContain("2 members");
  expect(team.html).toContain("Welcome");
  expect((await browser.get(path)).html).toContain("You are in A team");
  const again = await browser.post(`${path}/accept`);
  expect(again.location).toBe("/app/team?done=member");
});

test("another address is told so, and not let in", async () => {
  const { path } = await invite({ role: "MEMBER", email: "named@example.com" });
  const other = await createMember();
  const browser = await browserOf(other);
  const page = await browser.get(path);
  expect(page.html).toContain("The invite is for named@example.com");
  expect(page.html).not.toContain("/accept");
  const refused = await browser.post(`${path}/accept`);
  expect(refused.status).toBe(403);
  expect(refused.html).toContain("named@example.com");
  expect(await roleOf(other)).toBeNull();
});

test("a member keeps their role, and the invite stays open", async () => {
  const admin = await createMember();
  await joinTeam(owner.teamId, admin.userId, "ADMIN");
  const { path } = await invite();
  const browser = await browserOf(admin);
  expect((await browser.post(`${path}/accept`)).location).toBe("/app/team?done=member");
  expect(await roleOf(admin)).toBe("ADMIN");
  expect((await visitor().get(path)).status).toBe(200);
});

test.each<[string, (invite: { id: number; path: string }) => unknown, string]>([
  ["expired", () => harness.advance(7 * 86_400), "has expired"],
  [
    "revoked",
    ({ id }) => harness.call("DELETE", `/teams/invites/${id}`, { token: owner.token }),
    "was revoked",
  ],
  [
    "used",
    async ({ path }) => (await browserOf(await createMember())).post(`${path}/accept`),
    "has been used",
  ],
])("an invite that is %s says so (410)", async (_, end, words) => {
  const made = await invite();
  await end(made);
  const late = await createMember();
  const browser = await browserOf(late);
  for (const page of [
    await visitor().get(made.path),
    await visitor().post(made.path, { email: "late@example.com" }),
    await browser.get(made.path),
    await browser.post(`${made.path}/accept`),
  ]) {
    expect(page.status).toBe(410);
    expect(page.html).toContain(words);
  }
  expect(await roleOf(late)).toBeNull();
});

test.each(["abc", "a".repeat(64), "%00", `${"a".repeat(64)}'--`])(
  "/invite/%s is nothing (404)",
  async (token) => {
    const browser = await browserOf(owner);
    expect((await visitor().get(`/invite/${token}`)).status).toBe(404);
    expect((await browser.get(`/invite/${token}`)).status).toBe(404);
    expect((await browser.post(`/invite/${token}/accept`)).status).toBe(404);
  },
);

test("nobody joins without a sign-in, or by a form of another site", async () => {
  const { path } = await invite();
  expect(await visitor().post(`${path}/accept`)).toMatchObject({
    status: 303,
    location: "/sign-in",
  });
  const guest = await createMember();
  const headers = { "sec-fetch-site": "cross-site" };
  const browser = await browserOf(guest);
  expect((await browser.send(`${path}/accept`, { method: "POST", headers })).status).toBe(403);
  expect(await roleOf(guest)).toBeNull();
});

test("a session that has ended is as none", async () => {
  const guest = await createMember();
  const browser = await browserOf(guest);
  await env.DB.prepare("DELETE FROM sessions WHERE user_id = ?").bind(guest.userId).run();
  const { path } = await invite();
  const page = await browser.get(path);
  expect(page.status).toBe(200);
  expect(page.html).toContain("Your e-mail address");
});

describe("several holders of an open link", () => {
  const signUp = async (path: string, email: string) => {
    const browser = visitor();
    const answer = await browser.post(path, { email, next: path });
    expect([answer.status, answer.location]).toEqual([307, "/sign-in"]);
    return { email, browser, link: await askForLink(harness, browser, { email, next: path }) };
  };

  const isRegistered = async (email: string) =>
    (await env.DB.prepare("SELECT 1 FROM users WHERE email = ?").bind(email).first()) !== null;

  const membersOf = async () => {
    const { results } = await env.DB.prepare(
      "SELECT u.email FROM members m JOIN users u ON u.id = m.user_id WHERE m.team_id = ?",
    )
      .bind(owner.teamId)
      .all();
    return results.map(({ email }) => email).filter((email) => email !== ownerEmail);
  };

  let ownerEmail: string;
  beforeEach(async () => {
    ownerEmail = await emailOf(owner);
  });

  test("each prove their address, whoever gave theirs later", async () => {
    const { path } = await invite();
    const first = await signUp(path, "first@example.com");
    const second = await signUp(path, "second@example.com");
    expect((await useLink(first.browser, first.link)).location).toBe(path);
    expect((await useLink(second.browser, second.link)).location).toBe(path);
    expect((await first.browser.post(`${path}/accept`)).location).toBe("/app/team?done=joined");
    expect(await membersOf()).toEqual(["first@example.com"]);
  });

  test("accept at once: one joins, the others read that it was used", async () => {
    const { path } = await invite();
    const emails = Array.from({ length: 5 }, (_, i) => `rival${i}@example.com`);
    const rivals = [];
    for (const email of emails) rivals.push(await signUp(path, email));
    await Promise.all(rivals.map(({ browser, link }) => useLink(browser, link)));
    const pages = await Promise.all(rivals.map(({ browser }) => browser.post(`${path}/accept`)));
    const refused = pages.filter(({ status }) => status !== 303);
    expect(refused).toHaveLength(4);
    for (const { status, html } of refused) {
      expect([status, html]).toEqual([410, expect.stringContaining("has been used")]);
    }
    const joined = rivals.filter((_, i) => pages[i]?.location === "/app/team?done=joined");
    expect(await membersOf()).toEqual(joined.map(({ email }) => email));
  });

  test("are not registered once one of them has joined", async () => {
    const { path } = await invite();
    const quick = await signUp(path, "quick@example.com");
    const slow = await signUp(path, "slow@example.com");
    await useLink(quick.browser, quick.link);
    await quick.browser.post(`${path}/accept`);
    const late = await useLink(slow.browser, slow.link);
    expect([late.status, late.html]).toEqual([403, expect.stringContaining("it was used")]);
    expect(await isRegistered(slow.email)).toBe(false);
    harness.logs.length = 0;
    await slow.browser.post("/sign-in", { email: slow.email });
    expect(await mailedLink(harness)).toBeNull();
    expect((await slow.browser.get(path)).html).toContain("has been used");
  });

  test("sign up while another joins: each is let in or refused whole", async () => {
    const { path } = await invite();
    const rivals = [];
    for (let i = 0; i < 6; i++) rivals.push(await signUp(path, `racer${i}@example.com`));
    const guest = await browserOf(await createMember());
    const [joined, ...pages] = await Promise.all([
      guest.post(`${path}/accept`),
      ...rivals.map(({ browser, link }) => useLink(browser, link)),
    ]);
    expect(joined?.location).toBe("/app/team?done=joined");
    for (const [i, { email, browser }] of rivals.entries()) {
      const isIn = pages[i]?.status === 303;
      expect([303, 403]).toContain(pages[i]?.status);
      expect(await isRegistered(email)).toBe(isIn);
      expect((await browser.get("/app")).status).toBe(isIn ? 200 : 303);
    }
    expect(await membersOf()).toHaveLength(1);
  });

  test("are ten at most, however many come at once; one of them may come again", async () => {
    const { path } = await invite();
    const emails = Array.from({ length: 25 }, (_, i) => `crowd${i}@example.com`);
    const pages = await Promise.all(emails.map((email) => visitor().post(path, { email })));
    const taken = emails.filter((_, i) => pages[i]?.status === 307);
    expect(taken).toHaveLength(10);
    for (const page of pages.filter(({ status }) => status !== 307)) {
      expect(page.status).toBe(409);
      expect(page.html).toContain("10 addresses were given for this invite");
    }
    expect(await givenFor(owner)).toEqual(taken.sort());
    const [again = "", out = ""] = [taken[0], emails.find((email) => !taken.includes(email))];
    expect((await visitor().post(path, { email: again })).status).toBe(307);
    harness.logs.length = 0;
    await visitor().post("/sign-in", { email: out });
    expect(await mailedLink(harness)).toBeNull();
  });
});
