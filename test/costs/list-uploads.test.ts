import { beforeAll, describe, expect, test } from "vitest";
import { createMember, Harness, type Member, START } from "../support/harness.ts";
import { measure } from "../support/meter.ts";
import { store } from "./support.ts";
import { type ListFilter, listFilters, loadPosts } from "./workload.ts";

const LIMIT = 100;
const ROWS = 1_000;
const OTHER_ROWS = 20_000;
const from = START.getTime();
const filters = listFilters(from);

/** Posts of 50 other teams, before and behind ours in every index. */
const others = { teams: 50, from };

let member: Member;
/** Rows read per filter, first with few posts of others beside ours, then with many. */
const few = new Map<string, number>();
const many = new Map<string, number>();

async function readPages(into: Map<string, number>): Promise<void> {
  const harness = new Harness();
  for (const { name, query } of filters) {
    const search = new URLSearchParams({ ...query, limit: String(LIMIT) });
    const { costs, result } = await measure(harness, () =>
      harness.call("GET", `/upload?${search}`, { token: member.token }),
    );
    expect(result.status, name).toBe(200);
    expect(costs.roundTrips, name).toHaveLength(1);
    into.set(name, costs.rowsRead);
  }
}

describe(`a page of ${LIMIT} from ${ROWS} posts`, () => {
  beforeAll(async () => {
    member = await createMember();
    const { teamId } = member;
    await store([
      ...loadPosts({ ...others, firstTeam: teamId + 1, rows: 1_000, firstId: 1 }),
      ...loadPosts({ from, teams: 1, firstTeam: teamId, rows: ROWS, firstId: 10_000 }),
    ]);
    await readPages(few);
    const firstTeam = teamId + 1;
    await store(loadPosts({ ...others, firstTeam, rows: OTHER_ROWS, firstId: 100_000 }));
    await readPages(many);
  });

  const own = filters.filter(({ sharesEntries }) => !sharesEntries);
  test.each(own)(
    "$name: reads 2 rows a post, 80 more at most, and the counted entries",
    (filter) => {
      expect(few.get(filter.name)).toBeLessThanOrEqual(2 * LIMIT + 80 + filter.indexed(ROWS));
    },
  );

  const shared = filters.filter(({ sharesEntries }) => sharesEntries);
  test.each(shared)("$name: reads the entries that it shares twice at most", (filter) => {
    expect(few.get(filter.name)).toBeLessThanOrEqual(2 * LIMIT + 80 + 2 * filter.indexed(ROWS));
  });

  test.each(filters)("$name: posts of other teams cost nothing", ({ name }: ListFilter) => {
    expect(many.get(name)).toBe(few.get(name));
  });

  test("the whole list costs the posts and their accounts, the count, and the token twice", () => {
    expect(many.get("no filter")).toBe(2 * LIMIT + ROWS + 10);
  });
});
