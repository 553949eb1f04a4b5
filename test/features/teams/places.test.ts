import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { expirePlans } from "../../../src/features/plans/expiry.ts";
import { setTeamPlan } from "../../../src/features/plans/repo.ts";
import { createPerson, giveAddress, mayJoin } from "../../../src/features/teams/service.ts";
import {
  createMember,
  createToken,
  Harness,
  harnessWith,
  type Member,
} from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";

let owner: Member;

beforeEach(async () => {
  owner = await createMember();
});

const invite = (harness: Harness, json: object, { token } = owner) =>
  harness.call("POST", "/teams/invites", { token, json: { role: "MEMBER", ...json } });

const create = (harness: Harness, email: string) =>
  harness.deps.db.runAll(createPerson(harness.deps, email));

const personOf = (email: string) =>
  env.DB.prepare(
    "SELECT u.id AS userId, t.id AS teamId FROM users u JOIN teams t ON t.owner_id = u.id WHERE u.email = ?",
  )
    .bind(email)
    .first<{ userId: number; teamId: number }>();

let serial = 0;

/** A person who joined by an invite, with an own token. */
async function guestOf(harness: Harness): Promise<Member> {
  const email = `guest-${++serial}@example.com`;
  expect((await invite(harness, { email })).status).toBe(200);
  await create(harness, email);
  const person = await personOf(email);
  if (!person) throw new Error("Nobody was made.");
  return { ...person, token: await createToken(person.userId) };
}

const creditsOf = async (harness: Harness, { token }: Member): Promise<number> =>
  (await harness.call("GET", "/x-credits", { token })).body.data.balance.monthlyAllowance;

describe("the team of a person who came by an invite", () => {
  const harness = new Harness();

  test("is on the small plan, and the inviter's stays on the instance's own", async () => {
    const guest = await guestOf(harness);
    expect(await creditsOf(harness, guest)).toBe(50);
    expect(await creditsOf(harness, owner)).toBe(100_000);
    const { token } = guest;
    const file = { name: "a.png", size: 68, type: "image/png" };
    const json = { route: "photos", files: [file] };
    const presigned = await harness.call("POST", "/upload/presign", { token, json });
    expect(presigned.body.usage).toMatchObject({ unlimited: false, allowance: 20_000_000_000 });
    const analytics = await harness.call("GET", "/analytics/overview", { token });
    expect(analytics).toMatchObject({ status: 403 });
    const domain = { domain: "go.example.com" };
    expect((await harness.call("POST", "/domains", { token, json: domain })).status).toBe(403);
    expect(await invite(harness, { email: "more@example.com" }, guest)).toMatchObject({
      status: 409,
      body: { code: "PLAN_LIMIT" },
    });
  });

  test("is on the plan that the owner chose for such teams", async () => {
    const generous = harnessWith({ invitedPlan: "scale" });
    const guest = await guestOf(generous);
    expect(await creditsOf(generous, guest)).toBe(300);
    // A later default does not change existing teams.
    expect(await creditsOf(harness, guest)).toBe(300);
  });

  test("is back on it when another plan of theirs ends, as a first plan is still told of", async () => {
    const guest = await guestOf(harness);
    const { teamId } = guest;
    const until = new Date(harness.deps.now().getTime() + 1_000);
    await harness.deps.db.runAll(setTeamPlan(harness.deps, { teamId, plan: "pro", until }));
    expect(await creditsOf(harness, guest)).toBe(150);
    harness.advance(2);
    await expirePlans(harness.deps);
    expect(await creditsOf(harness, guest)).toBe(50);
    const { results } = await env.DB.prepare(
      "SELECT name FROM events WHERE team_id = ? ORDER BY id",
    )
      .bind(teamId)
      .all<{ name: string }>();
    expect(results.map(({ name }) => name)).toEqual([
      "subscription.created",
      "subscription.expired",
    ]);
  });
});

describe("an instance with as many people as it may have", () => {
  let harness: Harness;

  /** Limits the instance to its present people plus `places`. */
  async function fill(places = 0): Promise<void> {
    const people = await env.DB.prepare(
      "SELECT count(*) AS n FROM users WHERE email NOT LIKE '%@akimbo.invalid'",
    ).first<{ n: number }>();
    harness = harnessWith({ maxPeople: (people?.n ?? 0) + places });
  }

  test("refuses an invite to a new address (409), and takes one of a person who has an account", async () => {
    await fill();
    const refused = await invite(harness, { email: "late@example.com" });
    expect(refused).toMatchObject({ status: 409, body: { code: "PLAN_LIMIT" } });
    expect(refused.body.error).toContain("MAX_PEOPLE");
    await createMember();
    const email = await env.DB.prepare("SELECT email FROM users ORDER BY id DESC").first<string>(
      "email",
    );
    expect((await invite(harness, { email: email })).status).toBe(200);
  });

  test("makes nobody of an address that was invited before, and mails it nothing", async () => {
    await fill(1);
    const [email, other] = [`a-${++serial}@example.com`, `b-${serial}@example.com`];
    for (const to of [email, other])
      expect((await invite(harness, { email: to })).status).toBe(200);
    await Promise.all([create(harness, email), create(harness, other)]);
    const made = [await personOf(email), await personOf(other)].filter((one) => one !== null);
    expect(made).toHaveLength(1);
    const refused = (await personOf(email)) === null ? email : other;
    expect(await mayJoin(harness.deps, refused)).toBe(false);
    await env.DB.prepare(
      "UPDATE users SET email = 'deleted-' || id || '@akimbo.invalid' WHERE id = ?",
    )
      .bind(made[0]?.userId)
      .run();
    // A closed account frees its place.
    expect(await mayJoin(harness.deps, refused)).toBe(true);
  });

  test("says so on the page of a link, to those without an account", async () => {
    await fill();
    const { status, body } = await invite(harness, {});
    expect(status).toBe(200);
    const path = new URL(body.data.inviteLink).pathname;
    const visitor = new Browser(harness);
    const { html } = await visitor.get(path);
    expect(html).toContain("as many people");
    expect(html).not.toContain('type="email"');
    await expect(
      giveAddress(harness.deps, body.data.token, "late@example.com"),
    ).rejects.toMatchObject({ status: 409 });
    const person = await createMember();
    const browser = await new Browser(harness).signIn(person);
    expect((await browser.get(path)).html).toContain("Join the team");
  });
});
