import { beforeAll, describe, expect, test } from "vitest";
import { createMember, Harness, type Member, START } from "../support/harness.ts";
import { beginLife, type Columns, mediaOf } from "../support/life.ts";
import { measure, type Statement } from "../support/meter.ts";
import { slowPlans, store, summary } from "./support.ts";
import { listFilters, loadPosts } from "./workload.ts";

const PER_PAGE = 100;
const ROWS = 1_000;
const OTHER_ROWS = 20_000;
const from = START.getTime();

/** The older list has these filters alone, and `pending` covers what is being published. */
const OLDER = ["no filter", "platform", "status+platform"];
const OLDER_STATUSES = ["pending", "completed", "failed", "scheduled"];
const filters = listFilters(from).filter(
  ({ name }) =>
    OLDER.includes(name) || OLDER_STATUSES.some((status) => name === `status=${status}`),
);

describe(`a page of ${PER_PAGE} in the older form, from ${ROWS} posts`, () => {
  const few = new Map<string, number>();
  const many = new Map<string, number>();
  let member: Member;

  async function readPages(into: Map<string, number>): Promise<void> {
    const harness = new Harness();
    for (const { name, query } of filters) {
      const search = new URLSearchParams({ ...query, perPage: String(PER_PAGE) });
      const { costs, result } = await measure(harness, () =>
        harness.call("GET", `/posts?${search}`, { token: member.token }),
      );
      expect(result.status, name).toBe(200);
      expect(summary(costs), name).toMatchObject({ roundTrips: 1, rowsWritten: 0 });
      into.set(name, costs.rowsRead);
    }
  }

  beforeAll(async () => {
    member = await createMember();
    const { teamId } = member;
    const others = { teams: 50, from, firstTeam: teamId + 1 };
    await store([
      ...loadPosts({ ...others, rows: 1_000, firstId: 1_000_001 }),
      ...loadPosts({ from, teams: 1, firstTeam: teamId, rows: ROWS, firstId: 1_010_000 }),
    ]);
    await readPages(few);
    await store(loadPosts({ ...others, rows: OTHER_ROWS, firstId: 1_100_000 }));
    await readPages(many);
  });

  test.each(filters)("$name: reads a row a post and the token twice", (filter) => {
    const stepped = filter.sharesEntries ? filter.indexed(ROWS) : 0;
    expect(few.get(filter.name)).toBeLessThanOrEqual(PER_PAGE + stepped + 10);
  });

  test.each(filters)("$name: posts of other teams cost nothing", ({ name }) => {
    expect(many.get(name)).toBe(few.get(name));
  });
});

describe("one post", () => {
  const cost = async (
    columns: Columns,
    method: string,
    path: (id: number, accountId: string) => string,
    json?: unknown,
    fileCount = 0,
  ) => {
    const life = await beginLife();
    const media = mediaOf(...(await life.storeFiles(fileCount)));
    const id = await life.insert({ ...columns, media });
    const { costs, result } = await measure(life.harness, () =>
      life.call(method, path(id, life.accountId), json),
    );
    expect(result.status).toBe(200);
    return summary(costs);
  };
  const READ = { rowsWritten: 0, queueSends: [], storageCalls: [], fetches: [], roundTrips: 1 };
  const upload = (id: number) => `/upload/${id}`;

  test("in the older form costs 1 round trip and 7 rows", async () => {
    const found = await cost({ status: "completed" }, "GET", (id) => `/posts/${id}`);
    expect(found).toEqual({ ...READ, rowsRead: 7 });
  });

  test("whose account's limit is asked for costs 1 round trip", async () => {
    const found = await cost({ status: "completed" }, "GET", (_, account) => `/limits/${account}`);
    expect(found).toMatchObject(READ);
    expect(found.rowsRead).toBeLessThanOrEqual(10);
  });

  test("is edited, cancelled or removed in 2 round trips", async () => {
    const planned = { status: "scheduled", scheduled_for: from + 86_400_000 };
    const edited = await cost({ status: "draft" }, "PATCH", upload, { title: "New" });
    expect(edited).toMatchObject({ roundTrips: 2, rowsWritten: 2, queueSends: [] });
    const cancelled = await cost(planned, "DELETE", upload);
    expect(cancelled).toMatchObject({ roundTrips: 2, queueSends: [] });
    const removed = await cost({ status: "draft" }, "DELETE", upload);
    expect(removed).toMatchObject({ roundTrips: 2, queueSends: [] });
  });

  test("is retried in 3 round trips and by 1 message", async () => {
    const path = (id: number) => `/upload/${id}/retry`;
    const retried = await cost({ status: "failed" }, "POST", path, {}, 2);
    expect(retried).toMatchObject({ roundTrips: 3, queueSends: [1] });
    expect(retried.rowsWritten).toBeLessThanOrEqual(6);
  });

  test("and 250 others are retried in 3 round trips too, by 3 calls to the queue", async () => {
    const life = await beginLife();
    const accounts = ["B", "C", "D"].map((name) => ({ platform: "bluesky", sandbox: true, name }));
    const ids = await Promise.all(
      accounts.map(async (json) => (await life.call("POST", "/accounts", json)).body.data.id),
    );
    const failed = (i: number) => ({ status: "failed", account_id: ids[i % 3] });
    await life.insertMany(Array.from({ length: 251 }, (_, i) => failed(i)));
    const { costs, result } = await measure(life.harness, () =>
      life.call("POST", "/upload/retry-failed"),
    );
    expect(result.body.data.retried).toHaveLength(251);
    expect(summary(costs)).toMatchObject({ roundTrips: 3, queueSends: [100, 100, 51] });
  });
});

test("no statement walks a table or sorts a page", async () => {
  const life = await beginLife();
  const media = mediaOf(...(await life.storeFiles(2)));
  const planned = { status: "scheduled", scheduled_for: from + 86_400_000, media };
  const [draft = 0, scheduled = 0, failed = 0, gone = 0] = await life.insertMany([
    { status: "draft", media },
    planned,
    { status: "failed", media },
    { status: "failed", media },
  ]);
  const statements = new Map<string, Statement>();
  const record = async (method: string, path: string, json?: unknown) => {
    const { costs, result } = await measure(life.harness, () => life.call(method, path, json));
    expect(result.status, path).toBe(200);
    for (const one of costs.roundTrips.flat()) statements.set(one.sql, one);
  };
  await record("PATCH", `/upload/${draft}`, { title: "New", scheduledFor: "2027-01-01T00:00:00Z" });
  await record("DELETE", `/upload/${draft}`);
  await record("DELETE", `/upload/${scheduled}`);
  await record("POST", `/upload/${failed}/retry`, {});
  await record("POST", "/upload/retry-failed", { accountId: life.accountId, platform: "bluesky" });
  await record("POST", "/upload/retry-failed", {});
  await record("GET", `/limits/${life.accountId}`);
  await record("GET", `/posts/${gone}`);
  for (const { query } of filters) await record("GET", `/posts?${new URLSearchParams(query)}`);

  expect(await slowPlans(statements.values())).toEqual([]);
});
