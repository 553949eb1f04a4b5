import { beforeAll, expect, test } from "vitest";
import { createMember } from "../../support/harness.ts";
import { beginLife, type Life, later } from "../../support/life.ts";

let life: Life;
const ids: Record<string, number> = {};

beforeAll(async () => {
  life = await beginLife();
  const at = (minutes: number) => later(minutes * 60).getTime();
  const rows = {
    draft: { status: "draft", sort_at: at(1) },
    approval: { status: "pending_approval", sort_at: at(2) },
    scheduled: { status: "scheduled", scheduled_for: at(2_000) },
    pending: { status: "pending", sort_at: at(3) },
    processing: { status: "processing", sort_at: at(4) },
    completed: { status: "completed", sort_at: at(5), file_size: 1_234, title: null },
    failed: { status: "failed", sort_at: at(6) },
    onX: { status: "completed", sort_at: at(7), platform: "x" },
    gone: { status: "completed", sort_at: at(8), deleted_at: at(0) },
  };
  const inserted = await life.insertMany(Object.values(rows));
  for (const [i, name] of Object.keys(rows).entries()) ids[name] = inserted[i] ?? 0;
  const other = await beginLife(life.harness);
  await other.insertMany([{ status: "completed" }, { status: "draft" }]);
});

const get = (path: string, token?: string) => life.call("GET", `/posts${path}`, undefined, token);
const named = (data: { id: number }[]) =>
  data.map(({ id }) => Object.keys(ids).find((name) => ids[name] === id) ?? String(id));

const ALL = ["scheduled", "onX", "failed", "completed", "processing", "pending", "approval"];

test.each<[string, string[], [number, number]]>([
  ["", [...ALL, "draft"], [1, 20]],
  ["?status=pending", ["processing", "pending"], [1, 20]],
  ["?status=completed", ["onX", "completed"], [1, 20]],
  ["?status=failed", ["failed"], [1, 20]],
  ["?status=scheduled", ["scheduled"], [1, 20]],
  ["?platform=x", ["onX"], [1, 20]],
  ["?platform=tiktok", [], [1, 20]],
  ["?platform=bluesky&status=completed", ["completed"], [1, 20]],
  ["?perPage=3", ALL.slice(0, 3), [1, 3]],
  ["?perPage=3&page=3", ["approval", "draft"], [3, 3]],
  ["?perPage=100&page=2", [], [2, 100]],
  ["?perPage=1&page=1", ["scheduled"], [1, 1]],
  ["?unknown=1&limit=1", [...ALL, "draft"], [1, 20]],
])("GET /posts%s", async (query, expected, [page, perPage]) => {
  const { status, body } = await get(query);
  expect(status).toBe(200);
  expect(named(body.data)).toEqual(expected);
  expect(body).toEqual({ success: true, data: expect.any(Array), meta: { page, perPage } });
});

test("an item has six fields", async () => {
  const { data } = (await get("")).body;
  const item = (name: string) => data.find(({ id }: { id: number }) => id === ids[name]);
  expect(item("completed")).toEqual({
    id: ids.completed,
    title: null,
    platform: "bluesky",
    status: "completed",
    uploadedAt: "2026-12-01T09:00:00.000Z",
    metadata: { videoId: "3k", shareUrl: null },
  });
  expect(item("processing")).toEqual({
    id: ids.processing,
    title: "Old title",
    platform: "bluesky",
    status: "pending",
    uploadedAt: null,
    metadata: null,
  });
});

test("one post is told with its account, its author and its size", async () => {
  expect((await get(`/${ids.completed}`)).body).toEqual({
    success: true,
    data: {
      id: ids.completed,
      userId: life.member.userId,
      connectedAccountId: life.accountId,
      platform: "bluesky",
      title: null,
      status: "completed",
      uploadedAt: "2026-12-01T09:00:00.000Z",
      metadata: '{"videoId":"3k","shareUrl":null}',
      fileSize: "1234",
    },
  });
  expect((await get(`/${ids.draft}`)).body.data).toMatchObject({
    status: "draft",
    uploadedAt: null,
    metadata: "{}",
    fileSize: "0",
  });
});

test.each<[string, string[]]>([
  ["?perPage=0", ["perPage"]],
  ["?perPage=101", ["perPage"]],
  ["?perPage=-1", ["perPage"]],
  ["?perPage=abc", ["perPage"]],
  ["?perPage=", ["perPage"]],
  ["?perPage=1.5", ["perPage"]],
  ["?perPage=99999999999999999999", ["perPage"]],
  ["?perPage=1&perPage=2", ["perPage"]],
  ["?page=0", ["page"]],
  ["?page=-1", ["page"]],
  ["?page=x", ["page"]],
  ["?status=processing", ["status"]],
  ["?status=draft", ["status"]],
  ["?status=", ["status"]],
  ["?platform=myspace", ["platform"]],
  ["?perPage=0&page=0&status=x&platform=y", ["page", "perPage", "platform", "status"]],
])("GET /posts%s is refused, every field by name", async (query, fields) => {
  const { status, body } = await get(query);
  expect([status, body.success]).toEqual([400, false]);
  const refused = body.errors.map(({ field }: { field: string }) => field);
  expect([...new Set(refused)].sort()).toEqual(fields);
});

test("what is not there, removed, or another team's is not found", async () => {
  for (const id of ["abc", "0", "999999999", String(ids.gone)]) {
    expect(await get(`/${id}`)).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
  }
  const stranger = await createMember();
  expect((await get(`/${ids.completed}`, stranger.token)).status).toBe(404);
  expect((await get("", stranger.token)).body.data).toEqual([]);
});

test("the older name of the header is taken, and posts:read is needed", async () => {
  const headers = { "x-api-token": life.member.token };
  for (const path of ["/posts", `/posts/${ids.completed}`]) {
    expect((await life.harness.call("GET", path, { headers })).status).toBe(200);
    const token = await life.colleague("OWNER", ["accounts:read"]);
    expect(await life.harness.call("GET", path, { token })).toMatchObject({
      status: 403,
      body: { requiredScope: "posts:read" },
    });
    expect((await life.harness.call("GET", path)).status).toBe(401);
  }
});
