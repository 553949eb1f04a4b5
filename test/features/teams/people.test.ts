import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createPerson, mayJoin } from "../../../src/features/teams/service.ts";
import { Harness } from "../../support/harness.ts";

const harness = new Harness();

const add = (email: string) => harness.deps.db.runAll(createPerson(email, harness.deps.now()));

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
  await add("...@example.org");
  expect(await owned("ada.l@example.com")).toMatchObject([
    { name: "ada.l", slug: "ada-l", role: "OWNER", is_active: 1 },
  ]);
  const [second] = await owned("ada.l@example.org");
  expect(second?.slug).toMatch(/^ada-l-[0-9a-f]{12}$/);
  expect(await owned("...@example.org")).toMatchObject([{ slug: "team" }]);
});

test("somebody who is known is not made again, by many at once either", async () => {
  await Promise.all(Array.from({ length: 10 }, () => add("once@example.com")));
  expect(await owned("once@example.com")).toHaveLength(1);
});

test("an address that nobody invited may not join", async () => {
  expect(await mayJoin(harness.deps, "stranger@example.com")).toBe(false);
});
