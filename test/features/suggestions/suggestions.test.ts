import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { setSuggestionStatus } from "../../../src/features/suggestions/repo.ts";
import {
  createMember,
  createToken,
  Harness,
  joinTeam,
  type Member,
} from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";

let harness: Harness;
let owner: Member;

beforeEach(async () => {
  harness = new Harness();
  owner = await createMember();
});

const suggest = (json: unknown, token = owner.token) =>
  harness.call("POST", "/suggestions", { token, json });

const list = (query = "", token = owner.token) =>
  harness.call("GET", `/suggestions${query}`, { token });

const events = async () => {
  const { results } = await env.DB.prepare(
    "SELECT name, data FROM events WHERE team_id = ? AND name LIKE 'suggestion%' ORDER BY id",
  )
    .bind(owner.teamId)
    .all<{ name: string; data: string }>();
  return results.map(({ name, data }) => [name, JSON.parse(data)]);
};

test("a suggestion is stored with its event, by any member, and nobody else sees it", async () => {
  const { userId } = await createMember();
  await joinTeam(owner.teamId, userId, "MEMBER");
  const token = await createToken(userId, { teamId: owner.teamId, scopes: ["team:write"] });
  const { status, body } = await suggest({ title: " Dark mode ", body: "It's bright?" }, token);
  expect(status).toBe(200);
  const { id } = body.data;
  const at = "2026-12-01T09:00:00.000Z";
  const row = { id, title: "Dark mode", body: "It's bright?", status: "open", userId };
  expect(body.data).toEqual({ ...row, createdAt: at, updatedAt: at });
  expect((await list()).body.data).toEqual([body.data]);
  expect(await events()).toEqual([
    ["suggestion.created", { suggestionId: id, title: "Dark mode", status: "open" }],
  ]);
  const other = await createMember();
  expect((await list("", other.token)).body.data).toEqual([]);
});

test("a page has up to 100, newest first, in one round trip", async () => {
  for (let i = 1; i <= 5; i++) await suggest({ title: `Idea ${i}` });
  const { result: first, costs } = await measure(harness, () => list("?limit=2"));
  expect(costs.roundTrips).toHaveLength(1);
  const titles: string[] = [];
  for (let page = first; ; page = await list(`?limit=2&before=${page.body.nextBefore}`)) {
    titles.push(...page.body.data.map(({ title }: { title: string }) => title));
    if (page.body.nextBefore === null) break;
  }
  expect(titles).toEqual(["Idea 5", "Idea 4", "Idea 3", "Idea 2", "Idea 1"]);
  for (const query of ["?limit=0", "?limit=101", "?limit=x", "?before=0", "?before=-1"]) {
    expect((await list(query)).status).toBe(400);
  }
});

test.each([
  [{}],
  [{ title: " " }],
  [{ title: "x".repeat(201) }],
  [{ title: "x", body: "x".repeat(5_001) }],
  [{ title: "x", status: "done" }],
  [{ title: "a\0b" }],
])("refuses %j", async (json) => {
  expect((await suggest(json)).status).toBe(400);
  expect(await events()).toEqual([]);
});

test("a new status is told in one event, and none where it stays", async () => {
  const { id } = (await suggest({ title: "Idea" })).body.data;
  const set = (status: "planned" | "done") =>
    harness.deps.db.runAll(setSuggestionStatus(harness.deps, { id, status }));
  harness.advance(60);
  for (const status of ["planned", "planned", "done"] as const) await set(status);
  expect((await list()).body.data[0]).toMatchObject({
    status: "done",
    updatedAt: "2026-12-01T09:01:00.000Z",
  });
  const updated = { suggestionId: id, title: "Idea" };
  expect((await events()).slice(1)).toEqual([
    ["suggestion.updated", { ...updated, status: "planned", previousStatus: "open" }],
    ["suggestion.updated", { ...updated, status: "done", previousStatus: "planned" }],
  ]);
  await harness.deps.db.runAll(setSuggestionStatus(harness.deps, { id: 999_999, status: "done" }));
  expect(await events()).toHaveLength(3);
});
