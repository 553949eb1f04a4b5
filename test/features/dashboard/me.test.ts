import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { createMember, Harness, type Member } from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";
import { Browser } from "../../support/person.ts";

let harness: Harness;
let member: Member;
let browser: Browser;

beforeEach(async () => {
  harness = new Harness();
  member = await createMember();
  browser = await new Browser(harness).signIn(member);
});

const ids = async (table: string, userId = member.userId): Promise<number[]> => {
  const rows = env.DB.prepare(`SELECT id FROM ${table} WHERE user_id = ? ORDER BY id`).bind(userId);
  return (await rows.all<{ id: number }>()).results.map(({ id }) => id);
};

async function addPasskey(userId: number): Promise<number> {
  const row = await env.DB.prepare(
    `INSERT INTO passkeys
       (user_id, name, credential_id, public_key, counter, device_type, backed_up, created_at)
     VALUES (?1, 'Key', 'credential of ' || ?1, 'key', 0, 'multiDevice', 1, 1) RETURNING id`,
  )
    .bind(userId)
    .first<{ id: number }>();
  return row?.id ?? 0;
}

test("shows the person, their passkeys and sessions in one round trip", async () => {
  await addPasskey(member.userId);
  await new Browser(harness).signIn(member);
  const { result: page, costs } = await measure(harness, () => browser.get("/app/me"));
  expect(page.status).toBe(200);
  expect(page.html).toContain('value="A person"');
  expect(page.html).toContain('value="Key"');
  expect(page.html.match(/Sign out\s*<\/button>/g)).toHaveLength(3);
  expect(page.html.match(/This one/g)).toHaveLength(1);
  expect(costs.roundTrips).toHaveLength(1);
  expect(page.html.length).toBeLessThan(30_000);
});

test("a session that is ended is over at once, here and elsewhere", async () => {
  const elsewhere = await new Browser(harness).signIn(member);
  const [here, there] = await ids("sessions");
  const page = await browser.post(`/app/me/sessions/${there}/end`);
  expect(page).toMatchObject({ status: 303, location: "/app/me" });
  expect((await elsewhere.get("/app")).status).toBe(303);
  expect((await browser.get("/app")).status).toBe(200);
  await browser.post(`/app/me/sessions/${here}/end`);
  expect((await browser.get("/app")).status).toBe(303);
});

test("all other sessions end together, and nobody else's", async () => {
  const stranger = await new Browser(harness).signIn(await createMember());
  for (let i = 0; i < 3; i++) await new Browser(harness).signIn(member);
  const [own] = await ids("sessions");
  await browser.post("/app/me/sessions/end-others");
  expect(await ids("sessions")).toEqual([own]);
  expect((await stranger.get("/app")).status).toBe(200);
});

test("a passkey is renamed and removed by its person", async () => {
  const id = await addPasskey(member.userId);
  await browser.post(`/app/me/passkeys/${id}/name`, { name: "Work <phone>" });
  expect((await browser.get("/app/me")).html).toContain("Work &lt;phone&gt;");
  await browser.post(`/app/me/passkeys/${id}/remove`);
  expect(await ids("passkeys")).toEqual([]);
});

test("what is somebody else's is not found, and stays as it is", async () => {
  const other = await createMember();
  await new Browser(harness).signIn(other);
  const passkey = await addPasskey(other.userId);
  const [session] = await ids("sessions", other.userId);
  for (const path of [
    `sessions/${session}/end`,
    `passkeys/${passkey}/remove`,
    `passkeys/${passkey}/name`,
    "sessions/0/end",
    "passkeys/x/remove",
  ]) {
    expect((await browser.post(`/app/me/${path}`, { name: "mine" })).status).toBe(404);
  }
  expect(await ids("sessions", other.userId)).toEqual([session]);
  expect(await ids("passkeys", other.userId)).toEqual([passkey]);
});

test("a name is kept, up to 100 characters", async () => {
  await browser.post("/app/me/name", { name: "  Ada Lovelace " });
  expect((await browser.get("/app/me")).html).toContain('value="Ada Lovelace"');
  expect((await browser.post("/app/me/name", { name: "x".repeat(101) })).status).toBe(400);
});

test("what is kept about a person is theirs to take, without any secret", async () => {
  await addPasskey(member.userId);
  const { result: page, costs } = await measure(harness, () => browser.get("/app/me/data"));
  expect(page.headers.get("content-disposition")).toContain("akimbo-me.json");
  const data = JSON.parse(page.html);
  expect(data.person).toMatchObject({ id: member.userId, name: "A person" });
  expect(data.teams).toEqual([{ id: member.teamId, name: "A team", role: "OWNER" }]);
  expect([data.sessions, data.passkeys, data.tokens].map((all) => all.length)).toEqual([1, 1, 1]);
  expect(data.programs).toEqual([]);
  expect(page.html).not.toMatch(/hash|publicKey|credential/i);
  expect(costs.roundTrips).toHaveLength(1);
});

test("nobody sees or changes anything signed out", async () => {
  const anybody = new Browser(harness);
  for (const path of ["/app/me", "/app/me/data"]) {
    expect((await anybody.get(path)).status).toBe(303);
  }
  const [session] = await ids("sessions");
  for (const path of ["name", `sessions/${session}/end`, "sessions/end-others"]) {
    expect((await anybody.post(`/app/me/${path}`)).location).toBe("/sign-in");
  }
  expect(await ids("sessions")).toEqual([session]);
});
