import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createMember, Harness, harnessWith } from "../support/harness.ts";
import { measure } from "../support/meter.ts";
import { Visits } from "../support/visits.ts";
import { slowPlans, store } from "./support.ts";
import { keptLinks, LINK_PAGES, loadLinks } from "./workload.ts";

/** Bar: rows that a redirect reads which nobody asked for before. */
const MAX_READ = 2;

const URL_A = "https://example.com/";

async function begin(harness = new Harness()) {
  const { token, teamId, userId } = await createMember();
  const visits = new Visits(harness);
  const create = async (json: object = {}) =>
    (await harness.call("POST", "/short-links", { token, json: { url: URL_A, ...json } })).body;
  return { harness, token, teamId, userId, visits, create };
}

test("a cold redirect is one round trip that reads 1 row, on a domain 2, and writes none", async () => {
  const { harness, teamId, userId, visits, create } = await begin(
    harnessWith({ publicUrl: "https://akimbo.test" }),
  );
  await store([
    `INSERT INTO domains (id, team_id, user_id, is_shared, host, txt_name, txt_value, cname_target, verified_at,
      created_at, updated_at) VALUES (77, ${teamId}, ${userId}, 0, 'brand.example', 'a', 'b', 'c', 1, 0, 0)`,
  ]);
  for (const link of [await create(), await create({ domainId: 77 })]) {
    const { costs, result } = await measure(harness, () => visits.follow(link.shortUrl));
    expect(result).toBe(URL_A);
    expect(costs.roundTrips).toHaveLength(1);
    expect(costs.rowsRead).toBeLessThanOrEqual(MAX_READ);
    expect(costs.rowsWritten).toBe(0);
    expect(await slowPlans(costs.roundTrips.flat())).toEqual([]);
  }
});

test("what can be no slug is not asked about, and an unknown one reads nothing", async () => {
  const { harness, visits } = await begin();
  const unknown = await measure(harness, () => visits.follow("https://akimbo.test/s/nobody"));
  expect([unknown.costs.roundTrips.length, unknown.costs.rowsRead]).toEqual([1, 0]);
  const none = await measure(harness, () => visits.follow("https://akimbo.test/s/no.slug"));
  expect(none.costs.roundTrips).toEqual([]);
});

test("clicks are stored by one statement for all messages of a batch", async () => {
  const { harness, visits, create } = await begin();
  const { shortUrl } = await create();
  for (let i = 0; i < 5; i++) {
    await visits.visit(shortUrl);
    await visits.settle();
  }
  const messages = visits.messages.splice(0);
  const { costs } = await measure(harness, () => harness.consume(messages, "akimbo-webhooks"));
  expect(costs.roundTrips).toHaveLength(1);
  // The clicks of a message, the counter and the day.
  expect(costs.rowsWritten).toBeLessThanOrEqual(3 * messages.length);
});

describe("a page of links", () => {
  const ROWS = 1_500;
  const others = { teams: 50, firstTeam: 500_000 };
  const few = new Map<string, number>();
  const many = new Map<string, number>();

  beforeAll(async () => {
    const { harness, token, teamId } = await begin();
    const read = async (into: Map<string, number>) => {
      for (const { name, query } of LINK_PAGES) {
        const search = new URLSearchParams(Object.entries(query).map(([of, n]) => [of, `${n}`]));
        const { costs, result } = await measure(harness, () =>
          harness.call("GET", `/short-links?${search}`, { token }),
        );
        expect([result.status, result.body.pagination.total]).toEqual([200, keptLinks(ROWS)]);
        expect(costs.roundTrips).toHaveLength(1);
        expect(await slowPlans(costs.roundTrips.flat())).toEqual([]);
        into.set(name, costs.rowsRead);
      }
    };
    await store([
      ...loadLinks({ ...others, rows: 1_000, firstId: 5_000_000 }),
      ...loadLinks({ firstTeam: teamId, teams: 1, rows: ROWS, firstId: 6_000_000 }),
    ]);
    await read(few);
    await store(loadLinks({ ...others, rows: 20_000, firstId: 7_000_000 }));
    await read(many);
  });

  afterAll(() =>
    store([
      "DELETE FROM short_links WHERE id >= 5000000",
      "DELETE FROM domains WHERE host LIKE 'load-%'",
    ]),
  );

  test.each(LINK_PAGES)("$name: reads 2 rows a link, 80 more, and the counted entries", (page) => {
    expect(few.get(page.name)).toBeLessThanOrEqual(2 * page.limit + 80 + keptLinks(ROWS));
  });

  test.each(LINK_PAGES)("$name: links of other teams cost nothing", ({ name }) => {
    expect(many.get(name)).toBe(few.get(name));
  });
});

test("a link is made in 2 round trips, changed in 3 and deleted in 2; no statement walks a table", async () => {
  const { harness, token, create } = await begin();
  const headers = { "idempotency-key": "k" };
  const json = { url: URL_A };
  const made = await measure(harness, () =>
    harness.call("POST", "/short-links", { token, headers, json }),
  );
  expect(made.costs.roundTrips).toHaveLength(2);
  const { id } = await create();
  const path = `/short-links/${id}`;
  const changed = await measure(harness, () =>
    harness.call("PUT", path, { token, json: { title: "New" } }),
  );
  expect(changed.costs.roundTrips).toHaveLength(3);
  const removed = await measure(harness, () => harness.call("DELETE", path, { token }));
  expect(removed.costs.roundTrips).toHaveLength(2);
  for (const { costs } of [made, changed, removed]) {
    expect(await slowPlans(costs.roundTrips.flat())).toEqual([]);
  }
});
