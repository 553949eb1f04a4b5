import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createPerson, mayJoin } from "../../../src/features/teams/service.ts";
import { createMember, Harness } from "../../support/harness.ts";

const harness = new Harness();

async function invite(email: string): Promise<void> {
  const { token } = await createMember();
  await harness.call("POST", "/teams/invites", { token, json: { role: "MEMBER", email } });
}

const create = (email: string) => harness.deps.db.runAll(createPerson(harness.deps, email));

async function add(email: string): Promise<void> {
  await invite(email);
  await create(email);
}

const owned = async (email: string) => {
  const { results } = await env.DB.prepare(
    `SELECT t.id, t.name, t.slug, m.role, m.is_active FROM users u JOIN teams t ON t.owner_id = u.id
     JOIN members m ON m.team_id = t.id AND m.user_id = u.id WHERE u.email = ?`,
  )
    .bind(email)
    .all();
  return results;
};

test("a new person owns a team, whose slug nobody else has", async () => {
  await add("ada.l@example.com");
  await add("ada.l@example.org");
  await add("_@example.org");
  expect(await owned("ada.l@example.com")).toMatchObject([
    { name: "ada.l", slug: "ada-l", role: "OWNER", is_active: 1 },
  ]);
  const [second] = await owned("ada.l@example.org");
  expect(second?.slug).toMatch(/^ada-l-[0-9a-f]{12}$/);
  expect(await owned("_@example.org")).toMatchObject([{ slug: "team" }]);
});

test("somebody who is known is not made again, by many at once either", async () => {
  await invite("once@example.com");
  await Promise.all(Array.from({ length: 10 }, () => create("once@example.com")));
  expect(await owned("once@example.com")).toHaveLength(1);
});

test("an address that nobody invites may not join, and becomes nobody", async () => {
  expect(await mayJoin(harness.deps, "stranger@example.com")).toBe(false);
  await create("stranger@example.com");
  expect(await owned("stranger@example.com")).toEqual([]);
  await invite("late@example.com");
  harness.advance(7 * 86_400);
  await create("late@example.com");
  expect(await owned("late@example.com")).toEqual([]);
});
