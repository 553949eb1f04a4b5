import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import {
  createMember,
  createToken,
  Harness,
  joinTeam,
  type Member,
} from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";
import { Browser } from "../../support/person.ts";

const harness = new Harness();
const PATH = "/app/team";

let owner: Member;
let admin: Member;
let member: Member;

beforeEach(async () => {
  owner = await createMember();
  admin = await createMember();
  member = await createMember();
  await joinTeam(owner.teamId, admin.userId, "ADMIN");
  await joinTeam(owner.teamId, member.userId, "MEMBER");
});

async function browserOf(who: Member): Promise<Browser> {
  const browser = await new Browser(harness).signIn(who);
  await browser.post(`${PATH}/show`, { team: String(owner.teamId) });
  return browser;
}

const membership = ({ userId }: Member) =>
  env.DB.prepare("SELECT role, is_active FROM members WHERE team_id = ? AND user_id = ?")
    .bind(owner.teamId, userId)
    .first();

test("each role sees what it may do, in one round trip", async () => {
  const memberPath = `${PATH}/members/${member.userId}`;
  const seen = async (who: Member) => {
    const browser = await browserOf(who);
    const { result, costs } = await measure(harness, () => browser.get(PATH));
    expect(result.status).toBe(200);
    expect(costs.roundTrips).toHaveLength(1);
    return result.html;
  };
  const byOwner = await seen(owner);
  expect(byOwner).toContain("3 members");
  expect(byOwner).toContain(`action="${memberPath}?team=${owner.teamId}"`);
  expect(byOwner).toContain("Make an invite link");
  expect(byOwner).toContain(`action="${PATH}/name?team=${owner.teamId}"`);
  expect(byOwner).not.toContain(`${PATH}/members/${owner.userId}/remove`);
  const byAdmin = await seen(admin);
  expect(byAdmin).not.toContain(`action="${memberPath}?team=${owner.teamId}"`);
  expect(byAdmin).toContain(`${memberPath}/remove`);
  expect(byAdmin).toContain("Make an invite link");
  expect(byAdmin).not.toContain(`action="${PATH}/name?team=${owner.teamId}"`);
  const byMember = await seen(member);
  expect(byMember).not.toContain("Make an invite link");
  expect(byMember).not.toContain(`${PATH}/members/${admin.userId}/remove`);
  expect(byMember).toContain("Leave…");
});

test("the owner changes roles, deactivates, activates and renames", async () => {
  const browser = await browserOf(owner);
  const path = `${PATH}/members/${member.userId}`;
  const changed = await browser.post(path, { role: "ADMIN" });
  expect(changed).toMatchObject({ status: 303, location: `${PATH}?done=changed` });
  const deactivated = await browser.post(path, { active: "no" });
  expect(await membership(member)).toEqual({ role: "ADMIN", is_active: 0 });
  expect((await browser.get(deactivated.location ?? "")).html).toContain("Deactivated");
  const activated = await browser.post(path, { active: "yes" });
  expect((await browser.get(activated.location ?? "")).html).toContain("stay revoked");
  expect(await membership(member)).toEqual({ role: "ADMIN", is_active: 1 });
  await browser.post(`${PATH}/name`, { name: "Studio <b>" });
  expect((await browser.get(PATH)).html).toContain("Studio &lt;b&gt;");
});

test("whoever is deactivated is back among their own pages at once", async () => {
  const browser = await browserOf(member);
  expect((await browser.get(PATH)).html).toContain("3 members");
  await (await browserOf(owner)).post(`${PATH}/members/${member.userId}`, { active: "no" });
  expect((await browser.get(PATH)).html).toContain("1 member");
  const again = await browser.post(`${PATH}/show`, { team: String(owner.teamId) });
  expect(again.status).toBe(404);
});

test("removing asks first, and leaving leads to one's own team", async () => {
  const browser = await browserOf(admin);
  const path = `${PATH}/members/${member.userId}/remove`;
  const page = await browser.get(path);
  expect(page.status).toBe(200);
  expect(page.html).toContain("Remove person-");
  expect(await membership(member)).not.toBeNull();
  expect(await browser.post(path)).toMatchObject({ location: `${PATH}?done=removed` });
  expect(await membership(member)).toBeNull();
  const own = `${PATH}/members/${admin.userId}/remove`;
  expect((await browser.get(own)).html).toContain("Leave A team?");
  expect(await browser.post(own)).toMatchObject({ location: `${PATH}?done=left` });
  expect((await browser.get(`${PATH}?done=left`)).html).toContain("1 member");
});

test("what a role may not do is refused above the page's forms, by words", async () => {
  const browser = await browserOf(member);
  const refusals = [
    browser.post(`${PATH}/members/${admin.userId}`, { role: "MEMBER" }),
    browser.post(`${PATH}/members/${owner.userId}/remove`),
    browser.post(`${PATH}/invites`, { role: "MEMBER" }),
    browser.post(`${PATH}/name`, { name: "Mine" }),
  ];
  for (const { status, html } of await Promise.all(refusals)) {
    expect(status).toBe(403);
    expect(html).toContain('role="alert"');
  }
  const owning = await browserOf(owner);
  const refused = await owning.post(`${PATH}/members/${owner.userId}/remove`);
  expect(refused.status).toBe(403);
  expect(refused.html).toContain("always has its owner");
  expect(await membership(owner)).toEqual({ role: "OWNER", is_active: 1 });
});

describe("invites", () => {
  test("show their link once, and are revoked", async () => {
    const browser = await browserOf(owner);
    const made = await browser.post(`${PATH}/invites`, { role: "ADMIN", email: "New@Example.com" });
    expect(made.status).toBe(200);
    expect(made.html).toMatch(/https:\/\/akimbo\.test\/invite\/[0-9a-f]{64}/);
    const listed = await browser.get(PATH);
    expect(listed.html).toContain("new@example.com");
    expect(listed.html).not.toMatch(/\/invite\/[0-9a-f]{64}/);
    const [, id] = /invites\/(\d+)\/revoke/.exec(listed.html) ?? [];
    expect(await browser.post(`${PATH}/invites/${id}/revoke`)).toMatchObject({
      location: `${PATH}?done=revoked`,
    });
    expect((await browser.get(PATH)).html).toContain("No invite is open");
  });

  test.each([[{ role: "ADMIN", email: "nobody" }], [{ role: "OWNER" }], [{}]])(
    "%j is refused on the page",
    async (fields) => {
      const browser = await browserOf(owner);
      const { status, html } = await browser.post(
        `${PATH}/invites`,
        fields as Record<string, string>,
      );
      expect(status).toBe(400);
      expect(html).toContain('role="alert"');
      expect(html).not.toContain("The invite link");
    },
  );

  test("are mailed to the address that they name", async () => {
    const browser = await browserOf(owner);
    await browser.post(`${PATH}/invites`, { role: "MEMBER", email: "mailed@example.com" });
    await harness.settle();
    const mails = harness.logs.filter(
      (entry) => "to" in entry && entry.to === "mailed@example.com",
    );
    expect(mails).toEqual([
      expect.objectContaining({ text: expect.stringMatching(/\/invite\/[0-9a-f]{64}\n/) }),
    ]);
  });
});

test("a form from another site changes nothing", async () => {
  const browser = await browserOf(owner);
  for (const path of [
    `${PATH}/invites`,
    `${PATH}/members/${member.userId}/remove`,
    "/app/tokens",
  ]) {
    const headers = { "sec-fetch-site": "cross-site" };
    expect((await browser.send(path, { method: "POST", headers })).status).toBe(403);
  }
  expect(await membership(member)).not.toBeNull();
});

describe("tokens", () => {
  const TOKENS = "/app/tokens";

  test("are made with scopes, shown once, used and revoked", async () => {
    const browser = await browserOf(member);
    const made = await browser.post(TOKENS, {
      name: "Script",
      scopes: ["posts:read", "accounts:read"],
      team: String(owner.teamId),
    });
    expect(made.status).toBe(200);
    const [token = ""] = /kmb_[0-9a-f]{64}/.exec(made.html) ?? [];
    const { body } = await harness.call("GET", "/accounts", { token });
    expect(body.success).toBe(true);
    expect((await harness.call("GET", "/tokens", { token })).status).toBe(403);
    const { result: listed, costs } = await measure(harness, () => browser.get(TOKENS));
    expect(costs.roundTrips).toHaveLength(1);
    expect(listed.html).not.toContain(token);
    expect(listed.html).toContain(`${token.slice(0, 8)}…${token.slice(-4)}`);
    expect(listed.html).toContain("only A team");
    const [revoke = ""] = /\/app\/tokens\/\d+\/revoke/.exec(listed.html) ?? [];
    expect((await browser.get(revoke)).html).toContain("Revoke “Script”?");
    expect((await harness.call("GET", "/accounts", { token })).status).toBe(200);
    expect(await browser.post(revoke)).toMatchObject({ location: `${TOKENS}?done=revoked` });
    expect((await harness.call("GET", "/accounts", { token })).status).toBe(401);
  });

  test.each<[string, Record<string, string | string[]>, number]>([
    ["no scope", { name: "x" }, 400],
    ["no name", { name: " ", scopes: "*" }, 400],
    ["an unknown scope", { name: "x", scopes: ["posts:delete"] }, 400],
    ["a team that is none", { name: "x", scopes: "*", team: "abc" }, 400],
    ["another's team", { name: "x", scopes: "*", team: "999999" }, 403],
  ])("with %s are refused on the page", async (_, fields, status) => {
    const browser = await browserOf(owner);
    const page = await browser.post(TOKENS, fields);
    expect(page.status).toBe(status);
    expect(page.html).toContain('role="alert"');
    expect(page.html).not.toMatch(/kmb_[0-9a-f]{64}/);
  });

  test("that are refused come back with what was chosen", async () => {
    const browser = await browserOf(owner);
    const team = String(owner.teamId);
    const fields = { name: "x".repeat(101), scopes: ["posts:read", "team:read"], team };
    const { status, html } = await browser.post(TOKENS, fields);
    expect(status).toBe(400);
    expect(html).toContain("name: may have at most 100 characters");
    expect(html).toContain(`value="${fields.name}"`);
    expect(html.match(/value="[\w:*]+" checked=""/g)).toEqual([
      'value="posts:read" checked=""',
      'value="team:read" checked=""',
    ]);
    expect(html).toContain(`<option value="${team}" selected="">`);
  });

  test("of somebody else are neither seen nor revoked", async () => {
    await createToken(admin.userId);
    const row = await env.DB.prepare("SELECT MAX(id) AS id FROM tokens").first<{ id: number }>();
    const browser = await browserOf(owner);
    expect((await browser.get(`${TOKENS}/${row?.id}/revoke`)).status).toBe(404);
    expect((await browser.post(`${TOKENS}/${row?.id}/revoke`)).status).toBe(404);
    expect((await browser.get(TOKENS)).html).toContain("1 token<");
  });
});
