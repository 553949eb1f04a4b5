import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { DEFAULT_PLANS } from "../../../src/core/plans.ts";
import { type Answer, connectSandbox, form, harnessWith, START } from "../../support/harness.ts";
import { beginLife, type Columns } from "../../support/life.ts";

/** Posts that the plan has in a month. */
const QUOTA = 5;
/** Drafts and posts awaiting approval that a team keeps. */
const MAX_DRAFTS = 10_000;

const { plans } = DEFAULT_PLANS;

const limited = () =>
  harnessWith({
    plans: {
      ...DEFAULT_PLANS,
      plans: { ...plans, owner: { ...plans.owner, monthlyPosts: QUOTA } },
    },
  });

async function onStage() {
  const life = await beginLife(limited());
  const { harness, member, accountId } = life;
  const { token, teamId } = member;
  let words = 0;
  return {
    life,
    post: (fields: Record<string, string> = {}) =>
      harness.call("POST", "/upload", {
        token,
        body: form({ accountId, description: `Words ${words++}`, ...fields }),
      }),
    bulk: (accounts: string[], fields: Record<string, string> = {}) =>
      harness.call("POST", "/upload/bulk", {
        token,
        body: form({
          accounts: JSON.stringify(accounts),
          description: `Words ${words++}`,
          ...fields,
        }),
      }),
    connect: (count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, i) => connectSandbox(harness, member, `Number ${i}`)),
      ),
    countOf: async (where: string): Promise<number> =>
      (await env.DB.prepare(`SELECT COUNT(*) AS n FROM uploads WHERE team_id = ? AND ${where}`)
        .bind(teamId)
        .first<number>("n")) ?? 0,
    /** As many posts as the plan has in its month. */
    fill: (count: number, columns: Columns) => life.insertMany(Array(count).fill(columns)),
    /** Drafts that stand there already, stored in one statement. */
    fillDrafts: (count: number, status: string) =>
      env.DB.prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
         INSERT INTO uploads (team_id, account_id, platform, settings, media, sort_at, created_at,
           status, status_group)
         SELECT ${teamId}, '${accountId}', 'bluesky', '{}', '[]', ${START.getTime()}, ${START.getTime()},
           '${status}', '${status}' FROM n`,
      ).run(),
  };
}

type Stage = Awaited<ReturnType<typeof onStage>>;

const COUNTED = "status_group IN ('scheduled', 'pending', 'completed') AND deleted_at IS NULL";
const taken = (answers: Answer[]) => answers.filter(({ status }) => status === 200).length;

/** Error codes of the calls that were refused. */
const codesOf = (answers: Answer[]) =>
  new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.code));

describe("of a plan with 5 posts a month", () => {
  test("100 posts at once get 5 places, and all of them go out", async () => {
    const { life, post, countOf } = await onStage();
    const answers = await Promise.all(Array.from({ length: 100 }, () => post()));
    expect([taken(answers), codesOf(answers)]).toEqual([QUOTA, new Set(["PLAN_LIMIT"])]);
    await life.harness.drain();
    expect(await countOf("status = 'completed'")).toBe(QUOTA);
    expect(await countOf("TRUE")).toBe(QUOTA);
  });

  test("100 posts planned at once for one month get 5 places of it", async () => {
    const { post, countOf } = await onStage();
    const schedule_date = "2027-02-10T08:00:00Z";
    const answers = await Promise.all(Array.from({ length: 100 }, () => post({ schedule_date })));
    expect([taken(answers), codesOf(answers)]).toEqual([QUOTA, new Set(["PLAN_LIMIT"])]);
    expect(await countOf(COUNTED)).toBe(QUOTA);
    expect((await post()).status).toBe(200);
  });

  test("batches of 3 at once share 5 places, each account told its own", async () => {
    const { bulk, connect, countOf, life } = await onStage();
    const accounts = await connect(3);
    const answers = await Promise.all(Array.from({ length: 20 }, () => bulk(accounts)));
    const results = answers.flatMap(({ body }) => body.results);
    expect(results).toHaveLength(60);
    const ids = results.filter(({ success }) => success).map(({ uploadId }) => uploadId);
    expect([ids.length, new Set(ids).size, await countOf(COUNTED)]).toEqual([QUOTA, QUOTA, QUOTA]);
    for (const { success, error } of results) {
      if (!success) expect(error).toMatch(/5 posts of 2026-12 are used up/);
    }
    await life.harness.drain();
    expect(await countOf("status = 'completed'")).toBe(QUOTA);
  });

  test.each<[string, (stage: Stage, ids: number[]) => Promise<unknown>]>([
    [
      "retries of one post each",
      ({ life }, ids) => Promise.all(ids.map((id) => life.call("POST", `/upload/${id}/retry`))),
    ],
    [
      "retries of all that failed",
      ({ life }) =>
        Promise.all(Array.from({ length: 10 }, () => life.call("POST", "/upload/retry-failed"))),
    ],
    [
      "both",
      ({ life }, ids) =>
        Promise.all([
          ...ids.map((id) => life.call("POST", `/upload/${id}/retry`)),
          ...ids.map(() => life.call("POST", "/upload/retry-failed")),
        ]),
    ],
  ])("40 failed posts get 5 places again by %s", async (_, retry) => {
    const stage = await onStage();
    const ids = await stage.fill(40, { status: "failed" });
    await retry(stage, ids);
    expect(await stage.countOf(COUNTED)).toBe(QUOTA);
    const { retried, skipped } = (await stage.life.call("POST", "/upload/retry-failed")).body.data;
    expect(retried).toEqual([]);
    expect(new Set(skipped.map(({ code }: { code: string }) => code))).toEqual(
      new Set(["PLAN_LIMIT"]),
    );
  });

  test("20 planned posts moved at once into one month get 5 places of it", async () => {
    const { life, fill, countOf } = await onStage();
    const ids = await fill(20, {
      status: "scheduled",
      scheduled_for: Date.parse("2027-03-01T00:00:00Z"),
    });
    const scheduledFor = "2027-01-15T00:00:00Z";
    const answers = await Promise.all(
      ids.map((id) => life.call("PATCH", `/upload/${id}`, { scheduledFor })),
    );
    expect([taken(answers), codesOf(answers)]).toEqual([QUOTA, new Set(["PLAN_LIMIT"])]);
    expect(await countOf(`scheduled_for = ${Date.parse(scheduledFor)}`)).toBe(QUOTA);
  });
});

describe(`a team's ${MAX_DRAFTS} drafts`, () => {
  test("are all it can keep: the next is refused (409 QUEUE_FULL), a post is not", async () => {
    const { post, bulk, connect, fillDrafts, countOf, life } = await onStage();
    await fillDrafts(MAX_DRAFTS - 1, "draft");
    const draft = { status: "draft" };
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(draft)));
    expect([taken(answers), codesOf(answers)]).toEqual([1, new Set(["QUEUE_FULL"])]);
    expect(await countOf("status = 'draft'")).toBe(MAX_DRAFTS);
    expect(await post({ status: "pending_approval" })).toMatchObject({
      status: 409,
      body: { code: "QUEUE_FULL", error: expect.stringContaining("10,000") },
    });
    expect((await post()).status).toBe(200);
    const accounts = await connect(2);
    const { success, results } = (await bulk(accounts, draft)).body;
    expect([success, ...results.map(({ error }: { error: string }) => error)]).toEqual([
      false,
      expect.stringContaining("10,000"),
      expect.stringContaining("10,000"),
    ]);
    const checked = await life.harness.call("POST", "/upload/validate", {
      token: life.member.token,
      body: form({ accounts: JSON.stringify(accounts), description: "Words", ...draft }),
    });
    expect(checked.body).toMatchObject({ valid: false, targets: [] });
  });

  test("take as many of a batch as there is room for", async () => {
    const { bulk, connect, fillDrafts, countOf } = await onStage();
    await fillDrafts(MAX_DRAFTS - 2, "pending_approval");
    const { results } = (await bulk(await connect(3), { status: "draft" })).body;
    expect(results.map(({ success }: { success: boolean }) => success)).toEqual([
      true,
      true,
      false,
    ]);
    expect(await countOf("TRUE")).toBe(MAX_DRAFTS);
  });
});
