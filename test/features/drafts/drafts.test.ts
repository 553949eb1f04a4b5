import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { runChores } from "../../../src/cron/chores.ts";
import {
  createMember,
  createToken,
  Harness,
  joinTeam,
  type Member,
} from "../../support/harness.ts";

const FILE = "ab".repeat(32);
const OTHER_FILE = "cd".repeat(32);
const content = (description: string, mediaId = FILE) => ({
  description,
  media: [{ mediaId, altText: "" }],
});

let harness: Harness;
let owner: Member;

beforeEach(async () => {
  harness = new Harness();
  owner = await createMember();
});

const call = (method: string, path: string, json?: unknown, token = owner.token) =>
  harness.call(method, path, { token, ...(json === undefined ? {} : { json }) });

const create = async (text = "A text") => {
  const { status, body } = await call("POST", "/drafts", { content: content(text) });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data;
};

const filesOf = async (id: number) => {
  const { results } = await env.DB.prepare("SELECT sha256 FROM draft_files WHERE draft_id = ?")
    .bind(id)
    .all<{ sha256: string }>();
  return results.map(({ sha256 }) => sha256);
};

test("a draft is kept, listed, saved again and removed, with its files", async () => {
  const draft = await create();
  expect(draft).toMatchObject({ version: 1, content: { title: "", when: { kind: "now" } } });
  expect(await filesOf(draft.id)).toEqual([FILE]);
  const saved = await call("PUT", `/drafts/${draft.id}`, {
    content: content("Another text", OTHER_FILE),
    version: 1,
  });
  expect(saved.body.data).toMatchObject({ version: 2, content: { description: "Another text" } });
  expect(await filesOf(draft.id)).toEqual([OTHER_FILE]);
  const { body } = await call("GET", "/drafts");
  expect(body.data).toMatchObject([{ id: draft.id, text: "Another text", accounts: 0, files: 1 }]);
  expect((await call("GET", `/drafts/${draft.id}`)).body.data).toEqual(saved.body.data);
  expect((await call("DELETE", `/drafts/${draft.id}`)).status).toBe(200);
  expect((await call("GET", `/drafts/${draft.id}`)).status).toBe(404);
  expect(await filesOf(draft.id)).toEqual([]);
});

test("of two people in one draft the second is told who saved it, and nothing is overwritten", async () => {
  const draft = await create();
  const { userId } = await createMember();
  await joinTeam(owner.teamId, userId, "MEMBER");
  const colleague = await createToken(userId, { teamId: owner.teamId });
  const theirs = { content: content("Theirs"), version: 1 };
  expect((await call("PUT", `/drafts/${draft.id}`, theirs, colleague)).status).toBe(200);
  const mine = await call("PUT", `/drafts/${draft.id}`, { content: content("Mine"), version: 1 });
  expect(mine).toMatchObject({
    status: 409,
    body: { code: "DRAFT_CHANGED", updatedBy: { userId }, version: 2 },
  });
  const { body } = await call("GET", `/drafts/${draft.id}`);
  expect(body.data.content.description).toBe("Theirs");
});

test.each([
  ["an unknown field", { colour: "red" }],
  ["a file that is no mediaId", { media: [{ mediaId: "x", altText: "" }] }],
  ["an unknown time", { when: { kind: "soon" } }],
  ["broken text", { title: "\ud800" }],
  ["more than 400 KB", { title: "ä".repeat(30_000), description: "€".repeat(140_000) }],
])("refuses %s (400)", async (_, wrong) => {
  const { status, body } = await call("POST", "/drafts", { content: wrong });
  expect(status).toBe(400);
  expect(body.errors.length).toBeGreaterThan(0);
});

test("another team's draft is not found", async () => {
  const draft = await create();
  const other = await createMember();
  for (const [method, json] of [
    ["GET", undefined],
    ["PUT", { content: content("x"), version: 1 }],
    ["DELETE", undefined],
  ] as const) {
    const answer = await call(method, `/drafts/${draft.id}`, json, other.token);
    expect(answer.status, method).toBe(404);
  }
});

test("a team has at most 200 drafts (409 QUEUE_FULL)", async () => {
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
      INSERT INTO drafts (team_id, created_by, content, updated_by, created_at, updated_at)
      SELECT ?, 1, '{}', 1, 0, 0 FROM n`,
  )
    .bind(owner.teamId)
    .run();
  const { status, body } = await call("POST", "/drafts", { content: {} });
  expect([status, body.code]).toEqual([409, "QUEUE_FULL"]);
});

test("a draft that is not saved for 90 days is removed at night, with what it kept", async () => {
  const old = await create("Old");
  harness.advance(91 * 86_400);
  const fresh = await create("Fresh");
  await runChores(harness.deps, () => true);
  expect((await call("GET", `/drafts/${old.id}`)).status).toBe(404);
  expect(await filesOf(old.id)).toEqual([]);
  expect((await call("GET", `/drafts/${fresh.id}`)).status).toBe(200);
});
