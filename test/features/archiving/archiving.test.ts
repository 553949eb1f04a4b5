import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { DAY, MINUTE } from "../../../src/core/time.ts";
import type { Deps } from "../../../src/deps.ts";
import { archivePosts, FREE_ROWS_A_NIGHT } from "../../../src/features/archiving/nightly.ts";
import { ended, idsInDatabase, linesOf, membersOf, moveAll } from "../../support/archive.ts";
import { START } from "../../support/harness.ts";
import { beginLife, type Columns, type Life } from "../../support/life.ts";
import { measure } from "../../support/meter.ts";

const lastWeek = START.getTime() - 7 * DAY;
const inAMinute = START.getTime() + MINUTE;

let life: Life;

beforeEach(async () => {
  life = await beginLife();
});

/** The newest post of the instance never moves. */
const withNewest = async (columns: Columns[]): Promise<number[]> => {
  const ids = await life.insertMany(columns);
  await life.insert({ status: "draft" });
  return ids;
};

const listMonth = async (month: string, query = "") =>
  (await life.call("GET", `/upload?archived=${month}${query}`)).body;

describe("a post moves", () => {
  test.each<[string, moves: boolean, Columns]>([
    ["published in the last month that moves", true, ended("2025-10-31T23:59:59.999Z")],
    ["published in the first month that stays", false, ended("2025-11-01T00:00:00Z")],
    ["failed long ago", true, ended("2020-02-03T00:00:00Z", "failed")],
    [
      "planned long ago, published last week",
      false,
      ended("2025-01-01T00:00:00Z", "completed", { uploaded_at: lastWeek }),
    ],
    [
      "failed long ago, retried and failed last week",
      false,
      ended("2025-01-01T00:00:00Z", "failed", { failed_at: lastWeek }),
    ],
    [
      "published long ago, taken down last week",
      false,
      ended("2025-01-01T00:00:00Z", "completed", { unpublished_at: lastWeek }),
    ],
    ["a draft of long ago", false, { ...ended("2025-01-01T00:00:00Z"), status: "draft" }],
    [
      "awaiting approval since long ago",
      false,
      {
        ...ended("2025-01-01T00:00:00Z"),
        status: "pending_approval",
        status_group: "pending_approval",
      },
    ],
    [
      "being corrected at this moment",
      false,
      ended("2025-01-01T00:00:00Z", "completed", { unpublish_lease_until: inAMinute }),
    ],
    ["to be tried again", false, ended("2025-01-01T00:00:00Z", "failed", { due_at: inAMinute })],
  ])("%s: %s", async (_, moves, columns) => {
    const [id] = await withNewest([columns]);
    await moveAll(life.harness);
    expect((await idsInDatabase(life.member.teamId)).includes(id ?? 0)).toBe(!moves);
    expect((await membersOf(life.member.teamId)).length).toBe(moves ? 1 : 0);
  });

  test("not while a client can still see it, and not when it is the newest of the instance", async () => {
    const { teamId } = life.member;
    const [shown = 0, newest = 0] = await life.insertMany([
      ended("2025-01-01T00:00:00Z"),
      ended("2025-01-02T00:00:00Z"),
    ]);
    await env.DB.prepare("INSERT INTO review_posts VALUES (?, ?, 1, 5)").bind(teamId, shown).run();
    await moveAll(life.harness);
    expect(await idsInDatabase(teamId)).toEqual([shown, newest]);
    expect(await life.insert()).toBe(newest + 1);
  });
});

test("the cron trigger moves posts of every team into one file for each month", async () => {
  const other = await beginLife(life.harness);
  const mine = await withNewest([
    ended("2025-03-01T10:00:00Z", "completed", {
      title: "März 🎉",
      description: 'Quotes " and\nlines',
    }),
    ended("2025-03-09T10:00:00Z", "failed"),
    ended("2025-04-01T00:00:00Z"),
  ]);
  const [theirs] = await other.insertMany([ended("2025-03-02T10:00:00Z")]);
  await life.insert({ status: "draft" });
  const rows = await Promise.all(mine.map((id) => life.row(id)));
  const done = { event: "chore.done", chore: "archive posts" };
  for (
    let i = 0;
    i < 50 && !life.harness.logs.some((log) => JSON.stringify(log) === JSON.stringify(done));
    i++
  ) {
    await life.harness.tick();
    life.harness.advance(60);
  }
  const { teamId } = life.member;
  const { objects } = await env.MEDIA.list({ prefix: `archive/${teamId}/` });
  expect(objects.map(({ key }) => key)).toEqual([
    `archive/${teamId}/2025-03.jsonl.gz`,
    `archive/${teamId}/2025-04.jsonl.gz`,
  ]);
  const lines = [...(await linesOf(teamId, "2025-03")), ...(await linesOf(teamId, "2025-04"))];
  const withoutNull = (row: object) =>
    Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
  expect(lines).toEqual(rows.map(withoutNull));
  expect((await linesOf(other.member.teamId, "2025-03")).map(({ id }) => id)).toEqual([theirs]);
  expect((await listMonth("2025-03")).data.map(({ id }: { id: number }) => id)).toEqual([
    mine[1],
    mine[0],
  ]);
});

test("a later night appends to the file, and every member stays readable", async () => {
  const { teamId } = life.member;
  const first = await withNewest([ended("2025-03-01T10:00:00Z"), ended("2025-03-09T10:00:00Z")]);
  await moveAll(life.harness);
  const [late = 0] = await withNewest([ended("2025-03-05T10:00:00Z", "failed")]);
  await moveAll(life.harness);
  const members = await membersOf(teamId);
  expect(members.map(({ posts, byte_offset }) => [posts, byte_offset])).toEqual([
    [2, 0],
    [1, members[0]?.byte_length],
  ]);
  expect((await linesOf(teamId, "2025-03")).map(({ id }) => id)).toEqual([...first, late]);
  const { data, pagination } = await listMonth("2025-03");
  expect(data.map(({ id }: { id: number }) => id)).toEqual([first[1], late, first[0]]);
  expect(pagination).toEqual({ total: 3, page: 1, limit: 100, totalPages: 1 });
});

describe("a run that breaks off", () => {
  /** The service whose calls of one kind fail or are watched. */
  const withMedia = (deps: Deps, put: R2Bucket["put"]): Deps => ({
    ...deps,
    media: new Proxy(deps.media, {
      get: (bucket, name) => {
        if (name === "put") return put;
        const value = Reflect.get(bucket, name);
        return typeof value === "function" ? value.bind(bucket) : value;
      },
    }),
  });

  const firstPage = async (deps: Deps) => {
    const { teamId } = life.member;
    return archivePosts(deps, `0 ${teamId} -1 0`);
  };

  test.each(["first", "second"])(
    "between the file and the database loses nothing and doubles nothing: the %s member",
    async (which) => {
      const { teamId } = life.member;
      const { deps } = life.harness;
      const before = which === "second" ? await withNewest([ended("2025-03-01T10:00:00Z")]) : [];
      await moveAll(life.harness);
      const ids = await withNewest([ended("2025-03-02T10:00:00Z"), ended("2025-03-03T10:00:00Z")]);
      const dies = {
        ...deps,
        db: {
          ...deps.db,
          runAll: () => Promise.reject(new Error("The isolate was ended.")),
        },
      };
      await expect(firstPage(dies)).rejects.toThrow("ended");
      expect(await idsInDatabase(teamId)).toEqual(expect.arrayContaining(ids));
      expect(await membersOf(teamId)).toHaveLength(before.length);
      // What is left in the file differs from what the next run puts there.
      await env.DB.prepare("UPDATE uploads SET title = ? WHERE id = ?")
        .bind("Another, much longer title than the one that stands in the file", ids[0])
        .run();
      await moveAll(life.harness);
      expect((await linesOf(teamId, "2025-03")).map(({ id }) => id)).toEqual([...before, ...ids]);
      const { data } = await listMonth("2025-03");
      expect(data.map(({ title }: { title: string }) => title)).toContain(
        "Another, much longer title than the one that stands in the file",
      );
      expect(await idsInDatabase(teamId)).not.toEqual(expect.arrayContaining(ids));
    },
  );

  test("leaves the posts where one was changed meanwhile", async () => {
    const { teamId } = life.member;
    const { deps } = life.harness;
    const ids = await withNewest([ended("2025-03-02T10:00:00Z"), ended("2025-03-03T10:00:00Z")]);
    const changes = withMedia(deps, (async (...call: Parameters<R2Bucket["put"]>) => {
      await env.DB.prepare("UPDATE uploads SET title = 'New' WHERE id = ?").bind(ids[1]).run();
      return deps.media.put(...call);
    }) as R2Bucket["put"]);
    await firstPage(changes);
    expect(await idsInDatabase(teamId)).toEqual(expect.arrayContaining(ids));
    expect(await membersOf(teamId)).toEqual([]);
    await moveAll(life.harness);
    expect((await listMonth("2025-03")).data.map(({ title }: { title: string }) => title)).toEqual([
      "New",
      "Old title",
    ]);
  });

  test.each([0, 1, 2, 3, 4, 5])(
    "never clashes with another run at once: order %s",
    async (turns) => {
      const { teamId } = life.member;
      const { deps } = life.harness;
      const before = await withNewest([ended("2025-03-01T10:00:00Z")]);
      await moveAll(life.harness);
      const ids = await withNewest([ended("2025-03-02T10:00:00Z"), ended("2025-03-03T10:00:00Z")]);
      /** Runs a whole other page when this run makes its call number `turns`. */
      let calls = 0;
      const atTurn = async () => {
        if (calls++ === turns) await firstPage(deps);
      };
      const watched = {
        ...withMedia(deps, (async (...call: Parameters<R2Bucket["put"]>) => {
          await atTurn();
          return deps.media.put(...call);
        }) as R2Bucket["put"]),
        db: {
          run: async (queries) => {
            await atTurn();
            const answers = await deps.db.run(queries);
            await atTurn();
            return answers;
          },
          runAll: async (queries) => {
            await atTurn();
            return deps.db.runAll(queries);
          },
        } as Deps["db"],
      };
      await firstPage(watched);
      await moveAll(life.harness);
      expect((await linesOf(teamId, "2025-03")).map(({ id }) => id)).toEqual([...before, ...ids]);
      expect((await listMonth("2025-03")).pagination.total).toBe(3);
      expect(await idsInDatabase(teamId)).not.toEqual(expect.arrayContaining(ids));
    },
  );

  test("says so when the stored file is gone, and moves the posts of other months", async () => {
    const { teamId } = life.member;
    await withNewest([ended("2025-03-01T10:00:00Z")]);
    await moveAll(life.harness);
    await env.MEDIA.delete(`archive/${teamId}/2025-03.jsonl.gz`);
    const [stays = 0] = await withNewest([
      ended("2025-03-02T10:00:00Z"),
      ended("2025-04-02T10:00:00Z"),
    ]);
    await moveAll(life.harness);
    expect(life.harness.logs).toContainEqual({
      event: "archive.damaged",
      teamId,
      month: "2025-03",
      posts: 1,
    });
    expect((await life.row(stays))?.id).toBe(stays);
    expect((await listMonth("2025-04")).pagination.total).toBe(1);
    const { status, body } = await life.call("GET", "/upload?archived=2025-03");
    expect([status, body.code]).toEqual([503, "UNAVAILABLE"]);
  });
});

describe("on the free plan", () => {
  test("a page writes a row for each post and four more, and makes five calls", async () => {
    const many = Array.from({ length: 80 }, () => ended("2025-03-01T10:00:00Z"));
    await withNewest(many);
    const { teamId } = life.member;
    const { costs, result } = await measure(life.harness, () =>
      archivePosts(life.harness.deps, `0 ${teamId} -1 0`),
    );
    const posts = Number((await membersOf(teamId))[0]?.posts);
    expect(posts).toBeGreaterThan(50);
    expect(costs.rowsWritten).toBe(posts + 3);
    expect(result?.split(" ")[0]).toBe(String(posts + 3));
    expect(costs.roundTrips.length + costs.storageCalls.length).toBeLessThanOrEqual(5);
  });

  test("a night ends with its budget of rows", async () => {
    await withNewest([ended("2025-03-01T10:00:00Z")]);
    const { deps, logs } = life.harness;
    expect(await archivePosts(deps, `${FREE_ROWS_A_NIGHT} ${life.member.teamId} -1 0`)).toBeNull();
    expect(logs).toContainEqual({ event: "archive.paused", rows: FREE_ROWS_A_NIGHT });
    expect(await membersOf(life.member.teamId)).toEqual([]);
  });
});

test("rows of posts that were removed long ago are deleted, of others not", async () => {
  const at = Date.parse("2025-01-01T00:00:00Z");
  const [old = 0, young = 0, other = 0] = await withNewest([
    { ...ended("2025-01-01T00:00:00Z"), deleted_at: at },
    { ...ended("2025-01-01T00:00:00Z"), deleted_at: lastWeek },
    ended("2025-01-01T00:00:00Z"),
  ]);
  await moveAll(life.harness);
  const rows = await Promise.all([old, young, other].map((id) => life.row(id)));
  expect(rows.map((row) => row?.id ?? null)).toEqual([null, young, null]);
});

test("a kept file stays without the archived posts that used it, as long as others use it", async () => {
  const { teamId } = life.member;
  const [hash = ""] = await life.storeFiles(1);
  const media = JSON.stringify([{ sha256: hash, kind: "image" }]);
  const [first = 0, second = 0] = await withNewest([
    ended("2025-01-01T00:00:00Z", "completed", { media }),
    ended("2025-01-01T00:00:00Z", "completed", { media }),
  ]);
  const third = await life.insert({ status: "draft", media });
  await env.DB.prepare("DELETE FROM media_uses WHERE team_id = ?").bind(teamId).run();
  const use = (id: number, posts: number) =>
    env.DB.prepare("INSERT INTO media_uses VALUES (?, ?, ?, ?)")
      .bind(teamId, hash, id, posts)
      .run();
  await use(first, 1);
  await use(second, third - second + 1);
  await moveAll(life.harness);
  const { results } = await env.DB.prepare("SELECT upload_id FROM media_uses WHERE team_id = ?")
    .bind(teamId)
    .all();
  expect(results).toEqual([{ upload_id: second }]);
  const shown = async () =>
    (await listMonth("2025-01")).data.map(
      ({ thumbnailUrl }: Record<string, unknown>) => thumbnailUrl !== null,
    );
  expect(await shown()).toEqual([true, true]);
  await env.DB.prepare("DELETE FROM media WHERE team_id = ?").bind(teamId).run();
  expect(await shown()).toEqual([false, false]);
});
