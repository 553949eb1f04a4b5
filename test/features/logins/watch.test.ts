import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import type { Platform } from "../../../src/core/platforms.ts";
import type { AccountRow } from "../../../src/features/accounts/table.ts";
import { sealCredentials } from "../../../src/features/logins/platform-access.ts";
import { watchLogins } from "../../../src/features/logins/watch.ts";
import { describeEnding } from "../../../src/features/notices/rules.ts";
import { pathOf, walkConsent } from "../../support/consent.ts";
import { eventNames } from "../../support/events.ts";
import { createMember, harnessWith, joinTeam, START } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;
const TOLD = "connected_account.refresh_failed";

beforeEach(async () => {
  await env.DB.exec("DELETE FROM chores; DELETE FROM accounts;");
});

interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** A LinkedIn account, whose login is never renewed, and all outgoing mail. */
async function prepare(lastsDays = 60) {
  const harness = harnessWith({ emailFrom: "akimbo@example.com", publicUrl: "https://a.example" });
  const mails: Mail[] = [];
  harness.deps.email = { send: async (mail: Mail) => void mails.push(mail) } as never;
  const member = await createMember();
  harness.network = async () => Response.json({ sub: "ada", name: "Ada" });
  const connect = async (days: number) => {
    const expiresAt = new Date(Date.now() + days * DAY_SECONDS * 1_000).toISOString();
    const connected = await harness.call("POST", "/accounts", {
      token: member.token,
      json: { platform: "linkedin", credentials: { accessToken: "token", expiresAt } },
    });
    return String(connected.body.data.id);
  };
  const id = await connect(lastsDays);
  return {
    harness,
    member,
    mails,
    id,
    connect,
    /** Moves the clock to a day of the login, then ticks. */
    tickOn: async (day: number) => {
      harness.advance((START.getTime() - Date.now()) / 1_000 + day * DAY_SECONDS);
      for (let i = 0; i < 3; i++) {
        await harness.tick();
        await harness.deliverNotices();
        harness.advance(60);
      }
    },
    status: async () => {
      const { body } = await harness.call("GET", `/accounts/${id}`, { token: member.token });
      return body.data.status;
    },
  };
}

const owner = async (userId: number) => {
  const user = env.DB.prepare("SELECT email FROM users WHERE id = ?").bind(userId);
  return String((await user.first<{ email: string }>())?.email);
};

test("the team is told once, seven days before a login ends that nobody renews", async () => {
  const { harness, member, mails, id, tickOn, status } = await prepare();
  const [admin, other] = [await createMember(), await createMember()];
  await joinTeam(member.teamId, admin.userId, "ADMIN");
  await joinTeam(member.teamId, other.userId, "MEMBER");
  await tickOn(52);
  expect(mails).toEqual([]);
  await tickOn(53.1);
  const people = [await owner(member.userId), await owner(admin.userId)];
  expect(mails.map(({ to }) => to)).toEqual(people);
  expect(mails[0]).toMatchObject({
    subject: "An account has to be connected again",
    text: expect.stringContaining(`
Ada
LinkedIn
The login ends on 2027-01-30, 09:00 UTC and was not renewed. Connect the account again before then.
https://a.example/app/accounts/${id}
`),
  });
  for (const day of [54, 57, 59.9]) await tickOn(day);
  expect(mails).toHaveLength(2);
  expect(await status()).toBe("active");
  const names = await eventNames(member.teamId);
  expect(names.filter((name) => name === TOLD)).toHaveLength(1);
  expect(harness.logs).not.toContainEqual(expect.objectContaining({ event: "chore.failed" }));
});

test("an account whose login has ended is expired by the tick, with its event", async () => {
  const { member, tickOn, status } = await prepare();
  await tickOn(60.1);
  expect(await status()).toBe("expired");
  const names = await eventNames(member.teamId);
  expect(names.filter((name) => name.endsWith("expired"))).toHaveLength(1);
  await tickOn(60.3);
  expect(await eventNames(member.teamId)).toEqual(names);
});

test("whoever connects the account again is told of its next end", async () => {
  const { mails, connect, tickOn } = await prepare();
  await tickOn(55);
  expect(mails).toHaveLength(1);
  await connect(60);
  await tickOn(100);
  expect(mails).toHaveLength(1);
  await tickOn(109);
  expect(mails).toHaveLength(2);
});

test("without a way for mail, the event and the pages tell", async () => {
  const { harness, member, tickOn } = await prepare();
  harness.deps.email = null;
  harness.deps.config.isDevelopment = false;
  await tickOn(53.1);
  expect(await eventNames(member.teamId)).toContain(TOLD);
  expect(harness.logs).not.toContainEqual(expect.objectContaining({ event: "chore.failed" }));
});

test("who has switched it off is not mailed; a login that was renewed meanwhile is not told of", async () => {
  const { harness, member, mails, connect, tickOn } = await prepare();
  const admin = await createMember();
  await joinTeam(member.teamId, admin.userId, "ADMIN");
  await harness.call("PATCH", "/settings", {
    token: member.token,
    json: { notifications: { endingLogins: { email: false } } },
  });
  await tickOn(53.1);
  expect(mails.map(({ to }) => to)).toEqual([await owner(admin.userId)]);
  harness.advance(57 * DAY_SECONDS);
  await connect(5);
  await harness.tick();
  await connect(60);
  for (let i = 0; i < 3; i++) {
    harness.advance(60);
    await harness.tick();
    await harness.deliverNotices();
  }
  expect(mails).toHaveLength(1);
});

test("the accounts page, the account's and home say until when a login lives", async () => {
  const { harness, member, id, tickOn } = await prepare();
  const browser = await new Browser(harness).signIn(member);
  const text = async (path: string) => (await browser.get(path)).html;
  expect(await text("/app/accounts")).toMatch(/The login lives until .*30 Jan 2027/s);
  expect(await text("/app")).not.toContain("Login ends soon");
  await tickOn(28);
  await browser.signIn(member);
  await tickOn(53.1);
  await browser.signIn(member);
  for (const path of ["/app", "/app/accounts", `/app/accounts/${id}`]) {
    expect(await text(path)).toMatch(/The login ends on .*30 Jan 2027/s);
  }
  expect(await text("/app")).toContain("Login ends soon");
});

test("a LinkedIn login ends a year after the consent, whatever is renewed in between", async () => {
  const { harness, member, mails, tickOn } = await prepare();
  harness.deps.config.publicUrl = null;
  await env.DB.exec("DELETE FROM accounts");
  const browser = new Browser(harness);
  const start = await harness.call("POST", "/accounts", {
    token: member.token,
    json: { platform: "linkedin", mode: "sandbox" },
  });
  const choice = await walkConsent(browser, start.body.authorizationUrl, { name: "Ada" });
  await browser.post(pathOf(choice.location), {
    account:
      /name="account" value="([^"]+)"/.exec(
        (await browser.get(pathOf(choice.location))).html,
      )?.[1] ?? "",
  });
  const read = async () =>
    (await harness.call("GET", "/accounts", { token: member.token })).body.data[0];
  const shown = async () => {
    await browser.signIn(member);
    return (await browser.get(`/app/accounts/${(await read()).id}`)).html;
  };
  const use = async () => {
    const path = `/accounts/linkedin/pages?accountId=${(await read()).id}`;
    return (await harness.call("GET", path, { token: member.token })).status;
  };
  for (const day of [1, 61, 140, 357.5]) {
    await tickOn(day);
    expect(await use()).toBe(200);
    expect(await shown()).toMatch(/The login lives until .*1 Dec 2027/s);
  }
  expect(mails).toEqual([]);
  await tickOn(358.1);
  expect(mails).toHaveLength(1);
  expect(await shown()).toMatch(/The login ends on .*1 Dec 2027/s);
  await tickOn(364.9);
  expect((await read()).status).toBe("active");
  await tickOn(365.1);
  expect((await read()).status).toBe("expired");
  expect(mails).toHaveLength(1);
});

test("accounts of many teams are told team by team, one more with each tick, by a mail for each", async () => {
  const { harness, mails } = await prepare();
  await env.DB.exec("DELETE FROM accounts");
  const endsAt = START.getTime() + 3 * DAY_SECONDS * 1_000;
  for (let team = 0; team < 5; team++) {
    const { teamId } = await createMember();
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3)
       INSERT INTO accounts (id, team_id, platform, platform_account_id, account_name, mode, status,
         credentials, connected_at, login_ends_at)
       SELECT 'acc_' || ? || '_' || i, ?, 'linkedin', 'p' || i, 'Ada', 'live', 'active', 'x', 1, ?
       FROM n`,
    )
      .bind(teamId, teamId, endsAt)
      .run();
  }
  harness.advance(HOUR_SECONDS / 2);
  const sent: number[] = [];
  for (let tick = 0; tick < 7; tick++) {
    await harness.tick();
    await harness.deliverNotices();
    sent.push(mails.length);
    harness.advance(60);
  }
  expect(sent).toEqual([0, 2, 2, 4, 4, 5, 5]);
  expect(mails[0]?.subject).toBe("3 accounts have to be connected again");
});

describe("an account whose platform says how long the app may use the data", () => {
  /** A sandbox account, connected on the platform's own page. */
  async function prepareAccess(platform: Platform, name: string) {
    const prepared = await prepare();
    const { harness, member } = prepared;
    await env.DB.exec("DELETE FROM accounts");
    harness.deps.config.publicUrl = null;
    const browser = new Browser(harness);
    const start = await harness.call("POST", "/accounts", {
      token: member.token,
      json: { platform, mode: "sandbox" },
    });
    await walkConsent(browser, start.body.authorizationUrl, { name });
    const read = async () =>
      (await harness.call("GET", "/accounts", { token: member.token })).body.data[0];
    const told = async () =>
      (await eventNames(member.teamId)).filter((event) => event === TOLD).length;
    return { ...prepared, browser, read, told };
  }

  test.each([
    ["facebook", "Ada one page"],
    ["threads", "Private Ada"],
  ] as const)(
    "is told of on %s once, seven days before, and by the pages",
    async (platform, name) => {
      const { mails, member, browser, read, told, tickOn } = await prepareAccess(platform, name);
      const endsAt = new Date(START.getTime() + 90 * DAY_SECONDS * 1_000).toISOString();
      expect(await read()).toMatchObject({ dataAccessEndsAt: endsAt });
      for (const day of [41, 82]) await tickOn(day);
      expect(mails).toEqual([]);
      await tickOn(83.1);
      expect(mails).toMatchObject([
        {
          subject: "An account has to be connected again",
          text: expect.stringContaining(
            "lets this app use the account's data until 2027-03-01, 09:00 UTC. Connect",
          ),
        },
      ]);
      await browser.signIn(member);
      for (const path of ["/app", "/app/accounts", `/app/accounts/${(await read()).id}`]) {
        expect((await browser.get(path)).html).toMatch(
          /lets this app use the account.*1 Mar 2027/s,
        );
      }
      for (const day of [84.2, 86.3, 89]) await tickOn(day);
      expect(mails).toHaveLength(1);
      expect(await told()).toBe(1);
      await tickOn(91);
      expect(await read()).toMatchObject({ status: "active", dataAccessEndsAt: endsAt });
      await browser.signIn(member);
      expect((await browser.get("/app/accounts")).html).toContain("stopped letting this app");
    },
  );

  test.each([
    ["facebook", "Active Ada one page"],
    ["threads", "Ada"],
  ] as const)("is not told of on %s while the platform moves the end", async (platform, name) => {
    const { mails, read, told, tickOn } = await prepareAccess(platform, name);
    for (const day of [41, 82.1, 83.2, 84.3, 89, 120]) await tickOn(day);
    expect(mails).toEqual([]);
    expect(await told()).toBe(0);
    const { status, dataAccessEndsAt } = await read();
    expect(status).toBe("active");
    expect(Date.parse(dataAccessEndsAt)).toBeGreaterThan(Date.now() + 7 * DAY_SECONDS * 1_000);
  });
});

test("a platform that says nothing of the data has no end of it", async () => {
  const { harness, member } = await prepare();
  const { body } = await harness.call("GET", "/accounts", { token: member.token });
  expect(body.data[0].dataAccessEndsAt).toBeNull();
});

test("a login whose end the platform did not say is asked for when it has passed, not expired", async () => {
  const { harness, id } = await prepare();
  const account = { id, platform: "linkedin", teamId: 0 } as never as AccountRow;
  const [row] = (await env.DB.prepare("SELECT team_id FROM accounts").all<{ team_id: number }>())
    .results;
  const endsAt = new Date(Date.now() - 1_000);
  const login = { accessToken: "a", refreshToken: "r", expiresAt: null, refreshEndsAt: endsAt };
  const owner = { ...account, teamId: row?.team_id ?? 0 };
  for (const isPresumed of [true, false]) {
    const credentials = { ...login, ...(isPresumed ? { isEndPresumed: true as const } : {}) };
    const sealed = await sealCredentials(harness.deps, owner, credentials);
    expect(sealed.loginEndsAt).toEqual(isPresumed ? null : endsAt);
    await env.DB.prepare("UPDATE accounts SET credentials = ?, login_ends_at = ?, renew_at = NULL")
      .bind(sealed.credentials, endsAt.getTime())
      .run();
    await watchLogins(harness.deps);
    const stored = await env.DB.prepare("SELECT status, renew_at FROM accounts").first();
    expect(stored).toEqual(
      isPresumed
        ? { status: "active", renew_at: harness.deps.now().getTime() }
        : { status: "expired", renew_at: null },
    );
  }
});

test("a login and its data that end together are both told of", () => {
  const loginEndsAt = new Date("2027-02-25T09:00:00Z");
  const words = describeEnding({ loginEndsAt, dataAccessEndsAt: new Date("2027-02-26T09:00:00Z") });
  expect(words).toMatch(/login ends on 2027-02-25.*data until 2027-02-26/);
});
