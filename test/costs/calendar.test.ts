import { beforeAll, expect, test } from "vitest";
import { createMember, Harness, type Member, START } from "../support/harness.ts";
import { measure } from "../support/meter.ts";
import { store } from "./support.ts";
import { loadPosts } from "./workload.ts";

const ROWS = 1_000;
/** A tag looks at each account once more. */
const ACCOUNTS = 5;
const DAY_MS = 86_400_000;
const from = START.getTime();

let member: Member;

/** Rows read for the month in which the 1,000 posts stand. */
async function readMonth(query = ""): Promise<number> {
  const harness = new Harness();
  const { costs, result } = await measure(harness, () =>
    harness.call("GET", `/calendar?from=2026-11-25&to=2026-12-25${query}`, {
      token: member.token,
    }),
  );
  expect(result.status).toBe(200);
  expect(costs.roundTrips).toHaveLength(1);
  expect(costs.rowsWritten).toBe(0);
  return costs.rowsRead;
}

beforeAll(async () => {
  member = await createMember();
  await store(loadPosts({ from, teams: 1, firstTeam: member.teamId, rows: ROWS, firstId: 10_000 }));
});

test("a month of 1,000 posts is one round trip, of a row a post; others and other months cost nothing", async () => {
  const alone = await readMonth();
  expect(alone).toBeLessThanOrEqual(ROWS + 40);
  const { teamId } = member;
  await store([
    ...loadPosts({ from, teams: 50, firstTeam: teamId + 1, rows: 5_000, firstId: 100_000 }),
    ...[-60, 60].flatMap((days, i) =>
      loadPosts({
        from: from + days * DAY_MS,
        teams: 1,
        firstTeam: teamId,
        rows: ROWS,
        firstId: 200_000 + i * ROWS,
      }),
    ),
  ]);
  // The range ends at an entry of another month.
  expect(await readMonth()).toBeLessThanOrEqual(alone + 2);
});

test.each(["&status=failed", "&platform=x", "&account=acc_none", "&tag=news"])(
  "a filter reads no more posts than the month: %s",
  async (query) => {
    expect(await readMonth(query)).toBeLessThanOrEqual((await readMonth()) + ACCOUNTS);
  },
);
