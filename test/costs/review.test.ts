import { beforeAll, expect, test } from "vitest";
import { createMember, Harness, type Member, START } from "../support/harness.ts";
import { measure } from "../support/meter.ts";
import { Browser } from "../support/person.ts";
import { slowPlans, store } from "./support.ts";
import { loadPosts } from "./workload.ts";

const POSTS = 50;
const FILES_EACH = 4;
/** Source: issue, "Numbers": 2 D1 round trips. */
const MAX_ROUND_TRIPS = 2;

let member: Member;
let path: string;

beforeAll(async () => {
  member = await createMember();
  const { teamId, token } = member;
  const from = START.getTime();
  await store([
    ...loadPosts({ from, teams: 1, firstTeam: teamId, rows: 1_000, firstId: 1 }),
    ...loadPosts({ from, teams: 20, firstTeam: teamId + 1, rows: 2_000, firstId: 100_000 }),
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9)
      INSERT INTO accounts (id, team_id, platform, platform_account_id, account_name, mode, status, tags,
        connected_at)
      SELECT 'acc_review_' || i, ${teamId}, 'bluesky', 'did:review:' || i, 'Account ' || i, 'sandbox',
        'active', '', ${from} FROM n`,
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${POSTS * FILES_EACH - 1})
      INSERT INTO media (team_id, sha256, object_key, kind, mime, size_bytes, width, height, is_damaged,
        created_at)
      SELECT ${teamId}, printf('%064x', i), 'media/' || i, 'image', 'image/jpeg', 1000, 1080, 1350, 0, ${from} FROM n`,
    `UPDATE uploads SET status = 'draft', status_group = 'draft'
      WHERE team_id = ${teamId} AND status = 'pending_approval'`,
    `UPDATE uploads SET status = 'pending_approval', status_group = 'pending_approval', deleted_at = NULL,
      account_id = 'acc_review_' || (id % 10), platform = 'bluesky', title = NULL,
      description = 'A caption of some length, with #tags and a link https://example.com, number ' || id,
      settings = '{}', media = (SELECT json_group_array(json_object('sha256', sha256, 'kind', 'image'))
        FROM media WHERE team_id = ${teamId}
          AND sha256 BETWEEN printf('%064x', (id % ${POSTS}) * ${FILES_EACH})
            AND printf('%064x', (id % ${POSTS}) * ${FILES_EACH} + ${FILES_EACH - 1}))
      WHERE team_id = ${teamId} AND id IN
        (SELECT id FROM uploads WHERE team_id = ${teamId} ORDER BY id LIMIT ${POSTS})`,
  ]);
  const answer = await new Harness().call("POST", "/upload/review-links", { token });
  expect(answer.body.data.uploadIds).toHaveLength(POSTS);
  path = new URL(answer.body.data.url).pathname;
});

test("a review page of 50 posts with 200 files reads the database once, and nothing but its own", async () => {
  const harness = new Harness();
  const client = new Browser(harness);
  const { result: page, costs } = await measure(harness, () => client.get(path));
  expect(page.status).toBe(200);
  expect(page.html.match(/<img src="\/media\//g)).toHaveLength(POSTS * FILES_EACH);
  expect(costs.roundTrips.length).toBeLessThanOrEqual(MAX_ROUND_TRIPS);
  expect(costs.roundTrips).toHaveLength(1);
  // The link, its team; each post, its account, and of each file its place in the post and its row.
  expect(costs.rowsRead).toBeLessThanOrEqual(3 + POSTS * (4 + 2 * FILES_EACH));
  expect(costs.rowsWritten).toBe(0);
  expect(costs.fetches).toEqual([]);
  const plans = await slowPlans(costs.roundTrips.flat(), ["wanted", "item"]);
  expect(plans.filter((plan) => /SCAN (?!(wanted|item))/.test(plan))).toEqual([]);
});

test("a forged token costs the database nothing", async () => {
  const harness = new Harness();
  const forged = `/review/1-${"0".repeat(64)}`;
  const { costs } = await measure(harness, () => new Browser(harness).get(forged));
  expect(costs.roundTrips).toEqual([]);
});

test("a link of 50 posts is two round trips and 55 rows, indexes included", async () => {
  const harness = new Harness();
  const { token } = member;
  const { costs } = await measure(harness, () =>
    harness.call("POST", "/upload/review-links", { token }),
  );
  expect(costs.roundTrips).toHaveLength(2);
  expect(costs.rowsWritten).toBeLessThanOrEqual(POSTS + 5);
});
