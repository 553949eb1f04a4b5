import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import {
  connectSandbox,
  createMember,
  createToken,
  form,
  Harness,
  joinTeam,
  type Member,
} from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";

const UNSET = {
  quietHours: { own: null, team: null },
  messaging: { own: null, team: null },
  push: { publicKey: expect.any(String), browsers: [] },
  branding: { name: null, link: null, color: null, logoUrl: null },
  zone: "UTC",
  requireMemberApproval: false,
  blocklist: [],
  bannedHashtags: {},
  notifications: {
    reviewDecisions: { email: true, push: true, messaging: true },
    failures: { email: true, push: true, messaging: true },
    disabledWebhooks: { email: true, push: true, messaging: true },
    endingLogins: { email: true, push: true, messaging: true },
    endingDomains: { email: true, push: true, messaging: true },
    fullDatabase: { email: true, push: true, messaging: true },
  },
};

let harness: Harness;
let owner: Member;

beforeEach(async () => {
  harness = new Harness();
  owner = await createMember();
});

const read = async (token = owner.token) =>
  (await harness.call("GET", "/settings", { token })).body.data;

const change = (json: unknown, token = owner.token) =>
  harness.call("PATCH", "/settings", { token, json });

/** Returns the token of a new member. */
async function joined(role: "ADMIN" | "MEMBER"): Promise<string> {
  const { userId } = await createMember();
  await joinTeam(owner.teamId, userId, role);
  return createToken(userId, { teamId: owner.teamId });
}

test("a team that has set nothing has the usual settings, read in one round trip", async () => {
  const { result, costs } = await measure(harness, () => read());
  expect(result).toEqual(UNSET);
  expect(costs.roundTrips).toHaveLength(1);
});

test("a change takes what is named, leaves the rest, and null clears", async () => {
  const first = await change({
    branding: { name: "  Ada & Co ", link: "https://example.com/a", color: "#3A46d6" },
    zone: "europe/berlin",
    requireMemberApproval: true,
    blocklist: [" Secret ", "secret", "NDA"],
    bannedHashtags: { tiktok: ["#Foo", "bar"], x: [] },
    notifications: { failures: { push: false } },
  });
  expect(first).toMatchObject({ status: 200, body: { success: true } });
  const set = {
    ...UNSET,
    branding: { name: "Ada & Co", link: "https://example.com/a", color: "#3a46d6", logoUrl: null },
    zone: "Europe/Berlin",
    requireMemberApproval: true,
    blocklist: ["secret", "nda"],
    bannedHashtags: { tiktok: ["foo", "bar"], x: [] },
    notifications: {
      ...UNSET.notifications,
      failures: { email: true, push: false, messaging: true },
    },
  };
  expect(first.body.data).toEqual(set);
  await change({ branding: { link: null }, bannedHashtags: { x: null, youtube: ["baz"] } });
  expect(await read()).toEqual({
    ...set,
    branding: { ...set.branding, link: null },
    bannedHashtags: { tiktok: ["foo", "bar"], youtube: ["baz"] },
  });
  await change({
    branding: { name: null, color: null },
    zone: null,
    requireMemberApproval: false,
    blocklist: null,
    bannedHashtags: null,
    notifications: null,
  });
  expect(await read()).toEqual(UNSET);
  expect((await change({})).body.data).toEqual(UNSET);
});

test("branding that was stored before there were colours has none, and takes one", async () => {
  await env.DB.prepare("UPDATE teams SET branding = ? WHERE id = ?")
    .bind(JSON.stringify({ name: "Ada", link: null, logo: null }), owner.teamId)
    .run();
  const branding = { name: "Ada", link: null, color: null, logoUrl: null };
  expect((await read()).branding).toEqual(branding);
  const color = "#ffd400";
  expect((await change({ branding: { color } })).body.data.branding).toEqual({
    ...branding,
    color,
  });
});

test("a member reads all, and changes nothing but their own notifications", async () => {
  const member = await joined("MEMBER");
  await change({ blocklist: ["secret"], notifications: { failures: { email: false } } });
  expect(await read(member)).toMatchObject({
    blocklist: ["secret"],
    notifications: UNSET.notifications,
  });
  const both = { zone: "Europe/Paris", notifications: { failures: { email: false } } };
  expect(await change(both, member)).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
  expect(await read(member)).toMatchObject({ zone: "UTC", notifications: UNSET.notifications });
  const own = await change({ notifications: { endingLogins: { push: false } } }, member);
  expect(own.body.data.notifications.endingLogins.push).toBe(false);
  expect((await read()).notifications.endingLogins.push).toBe(true);
});

test("an admin changes all but the approval of members' posts", async () => {
  const admin = await joined("ADMIN");
  expect((await change({ zone: "Asia/Tokyo" }, admin)).status).toBe(200);
  const refused = await change({ zone: "Europe/Rome", requireMemberApproval: true }, admin);
  expect(refused).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
  expect(refused.body.error).toContain("Only the owner");
  expect(await read()).toMatchObject({ zone: "Asia/Tokyo", requireMemberApproval: false });
});

test.each([
  ["an unknown key", { plan: "scale" }, "plan"],
  ["an unknown key inside", { branding: { logo: "x" } }, "branding.logo"],
  ["a name that is too long", { branding: { name: "x".repeat(101) } }, "branding.name"],
  ["a name that is no Unicode", { branding: { name: "a\0b" } }, "branding.name"],
  ["a link of another scheme", { branding: { link: "javascript:alert(1)" } }, "branding.link"],
  ["a link with a password", { branding: { link: "https://a:b@example.com" } }, "branding.link"],
  ["a link that is none", { branding: { link: "example" } }, "branding.link"],
  [
    "a link that is too long",
    { branding: { link: `https://a.b/${"x".repeat(500)}` } },
    "branding.link",
  ],
  ["a colour's name", { branding: { color: "red" } }, "branding.color"],
  ["a colour of three digits", { branding: { color: "#f00" } }, "branding.color"],
  ["a colour without its sign", { branding: { color: "3a46d6" } }, "branding.color"],
  ["more than a colour", { branding: { color: '#3a46d6"' } }, "branding.color"],
  ["an empty colour", { branding: { color: "" } }, "branding.color"],
  ["a zone that is none", { zone: "Mars/Olympus" }, "zone"],
  ["an offset", { zone: "+02:00" }, "zone"],
  ["501 words", { blocklist: Array.from({ length: 501 }, (_, i) => `w${i}`) }, "blocklist"],
  ["a word of 101 characters", { blocklist: ["x".repeat(101)] }, "blocklist.0"],
  ["an unknown platform", { bannedHashtags: { myspace: [] } }, "bannedHashtags.myspace"],
  ["two hashtags in one", { bannedHashtags: { x: ["#a #b"] } }, "bannedHashtags.x.0"],
  [
    "201 hashtags",
    { bannedHashtags: { x: Array.from({ length: 201 }, (_, i) => `t${i}`) } },
    "bannedHashtags.x",
  ],
  [
    "an unknown channel",
    { notifications: { failures: { fax: true } } },
    "notifications.failures.fax",
  ],
  ["no boolean", { requireMemberApproval: 1 }, "requireMemberApproval"],
])("refuses %s", async (_, json, field) => {
  const answer = await change(json);
  expect(answer.status).toBe(400);
  expect(answer.body.errors[0].field).toBe(field);
  expect(await read()).toEqual(UNSET);
});

describe("the team's own words", () => {
  const post = async (platform: string, fields: Record<string, string>) => {
    const accountId = await connectSandbox(harness, owner, "Ada", platform);
    return harness.call("POST", "/upload", {
      token: owner.token,
      body: form({ accountId, status: "draft", ...fields }),
    });
  };
  const withPhoto = { description: "Look #baz" };

  test("its list of hashtags takes the place of the platform's own", async () => {
    await change({ bannedHashtags: { bluesky: ["#Baz"] } });
    const refused = await post("bluesky", withPhoto);
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.body.error).toContain("#baz");
    await change({ bannedHashtags: null });
    const created = await post("bluesky", withPhoto);
    expect(created.status).toBe(200);
    await change({ bannedHashtags: { bluesky: ["#baz"] } });
    const edited = await harness.call("PATCH", `/upload/${created.body.data.uploadId}`, {
      token: owner.token,
      json: { description: "Again #BAZ" },
    });
    expect(edited.status).toBe(400);
    expect(edited.body.error).toContain("#baz");
  });

  test("an empty list of its own lets through what the platform's own refuses", async () => {
    const own = { title: "Dance #skinnytok" };
    expect(JSON.stringify((await post("tiktok", own)).body)).toContain("#skinnytok");
    await change({ bannedHashtags: { tiktok: [] } });
    const answer = await post("tiktok", own);
    expect(JSON.stringify(answer.body)).not.toContain("skinnytok");
  });

  test("its blocklist holds for new posts", async () => {
    await change({ blocklist: ["Top Secret"] });
    const accountId = await connectSandbox(harness, owner);
    const body = form({ accountId, description: "This is top secret." });
    const refused = await harness.call("POST", "/upload", { token: owner.token, body });
    expect(refused.body.violations[0].type).toBe("unsafe_content");
  });
});

test("what a team sets is nobody else's", async () => {
  const other = await createMember();
  await change({ branding: { name: "Ours" }, notifications: { failures: { email: false } } });
  expect(await read(other.token)).toEqual(UNSET);
  const { n } = (await env.DB.prepare(
    "SELECT COUNT(*) AS n FROM users WHERE notifications IS NOT NULL AND id = ?",
  )
    .bind(other.userId)
    .first<{ n: number }>()) ?? { n: -1 };
  expect(n).toBe(0);
});
