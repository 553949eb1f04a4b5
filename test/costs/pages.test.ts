import { beforeAll, expect, test } from "vitest";
import { createMember, Harness, type Member, START } from "../support/harness.ts";
import { measure, type Statement } from "../support/meter.ts";
import { Browser } from "../support/person.ts";
import { slowPlans, store } from "./support.ts";
import { loadPosts } from "./workload.ts";

const ROWS = 1_000;
/** Compressed: a second on a slow phone. */
const MAX_PAGE_BYTES = 30_000;

/** The first of twenty pools, and the fullest. */
const POOL = 910_000;

let member: Member;
let poolOwner: Member;

async function compressedSize(text: string): Promise<number> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(stream).arrayBuffer()).byteLength;
}

beforeAll(async () => {
  member = await createMember();
  poolOwner = await createMember();
  await plantPools(poolOwner);
  const from = START.getTime();
  const { teamId } = member;
  const words = "Some words that stand in every post and take the room that a caption takes. ";
  await store([
    ...loadPosts({ from, teams: 1, firstTeam: teamId, rows: ROWS, firstId: 1 }),
    ...loadPosts({ from, teams: 50, firstTeam: teamId + 1, rows: 5_000, firstId: 100_000 }),
    `UPDATE uploads SET description = description || ' ' || replace(hex(zeroblob(10)), '00', '${words}'),
      error_message = CASE status WHEN 'failed' THEN '${words}' || id END,
      failure_code = CASE status WHEN 'failed' THEN 'rate_limited' END WHERE team_id = ${teamId}`,
    `UPDATE teams SET zone = 'Europe/Berlin' WHERE id = ${teamId}`,
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199)
      INSERT INTO accounts (id, team_id, platform, platform_account_id, account_name, mode, status,
        tags, connected_at)
      SELECT 'acc_many_' || i, ${teamId}, 'bluesky', 'did:many:' || i, 'Account number ' || i, 'sandbox',
        iif(i % 20, 'active', 'expired'), 'news,fun', ${from} FROM n`,
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
      INSERT INTO connection_links (team_id, platform, mode, title, tags, created_by, created_at,
        expires_at, account_id)
      SELECT ${teamId}, 'instagram', 'live', 'Link number ' || i, '["news"]', 1, ${from},
        ${from} + 3600000, iif(i % 10, 'acc_many_7', NULL) FROM n`,
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
      INSERT INTO domains (id, team_id, user_id, is_shared, host, txt_name, txt_value, cname_target,
        verified_at, created_at, updated_at)
      SELECT i, ${teamId}, 1, 0, 'go' || i || '.example.com', 'name', 'value', 'akimbo.test', ${from}, ${from}, ${from} FROM n`,
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
      INSERT INTO short_links (id, team_id, domain_id, slug, slug_key, destination, use_deeplink,
        bot_protection, created_by, created_at, updated_at, rules)
      SELECT i, ${teamId}, i % 50, 'number-' || i, 'number-' || i, 'https://example.com/' || i, 0, 0, 1,
        ${from}, ${from}, '[{"type":"geo","countryCodes":"DE","destination":"https://example.com/de","priority":0}]' FROM n`,
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
      INSERT INTO link_days (link_id, day, clicks, countries, devices, rules, quarters)
      SELECT 500, ${from} / 86400000 - i, 7, '{"DE":5,"":2}', '{"mobile":7}', '{"-":7}', '{"3":7}' FROM n`,
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4999)
      INSERT INTO events (team_id, id, name, data, created_at)
      SELECT ${teamId}, 'evt_' || printf('%012x', ${from} - 500 * 60000 + i) || printf('%016x', i),
        'upload.scheduled', json_object('uploadId', i, 'platform', 'bluesky', 'accountId', 'acc',
          'scheduledFor', '2026-12-24T18:30:00Z'), ${from} FROM n`,
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4999)
      INSERT INTO activity (team_id, id, at, actor_kind, actor_id, actor_name, action, subject_kind,
        subject_id)
      SELECT ${teamId}, 'act_' || printf('%012x', ${from} - 500 * 60000 + i) || printf('%016x', i),
        ${from}, 'person', 1, 'ada@example.com', 'account.changed', 'account', 'acc_many_' || (i % 200)
      FROM n`,
  ]);
});

const personOf = (path: string): Member => (path.startsWith("/app/pools") ? poolOwner : member);

/** A team of its own: the calendar reads the queues of all pools too. */
async function plantPools(owner: Member): Promise<void> {
  const from = START.getTime();
  const words = "Some words that stand in every item";
  await store([
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
      INSERT INTO accounts (id, team_id, platform, platform_account_id, account_name, mode, status,
        tags, connected_at)
      SELECT 'acc_pool_' || i, ${owner.teamId}, 'bluesky', 'did:pool:' || i, 'Account ' || i, 'sandbox',
        'active', '', ${from} FROM n`,
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19)
      INSERT INTO pools (id, team_id, name, timezone, created_at, updated_at)
      SELECT ${POOL} + i, ${owner.teamId}, 'Pool ' || i, 'Europe/Berlin', ${from}, ${from} FROM n`,
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
      INSERT INTO pool_slots (pool_id, team_id, time, days, account_ids, next_at, next_day, created_at)
      SELECT ${POOL} + i / 5, ${owner.teamId}, printf('%02d:30', 7 + i % 5), '[0,1,2,3,4,5,6]', '["acc_pool_7"]',
        ${from} + 86400000, '2026-12-02', ${from} FROM n`,
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1379)
      INSERT INTO pool_items (pool_id, team_id, position, state, title, settings, media, origin, added_by,
        may_publish, created_at, repeat_days, repeat_times)
      SELECT ${POOL} + max(0, i - 999) / 20, ${owner.teamId}, i, 'queued', '${words}', '{}',
        '[{"role":"photo","sha256":"' || lower(hex(zeroblob(32))) || '"}]', 'https://akimbo.test', 1, 1, ${from},
        iif(i % 10, NULL, 40), iif(i % 10, NULL, 5) FROM n`,
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
      INSERT INTO pool_firings (slot_id, fire_at, pool_id, team_id, local_day, time, timezone, account_ids, outcome,
        reason, woken_at, created_at)
      SELECT 1 + i % 5, ${from} - i * 17280000, ${POOL}, ${owner.teamId}, '2026-11-20', '07:30', 'Europe/Berlin',
        '["acc_pool_7"]', 'empty', 'The queue is empty.', ${from}, ${from} FROM n`,
  ]);
}

/** `walked`: tables of which a page looks at the first rows, until it finds what it is after. */
interface MeasuredPage {
  path: string;
  rows: number;
  walked?: string[];
}

const PAGES: MeasuredPage[] = [
  { path: "/app", rows: 1_000, walked: ["users"] },
  {
    path: "/app/calendar?month=2026-12",
    rows: 5_100,
    walked: ["placed", "spans LEFT-JOIN", "days"],
  },
  { path: "/app/calendar?week=2026-12-01&status=failed", rows: 1_500 },
  { path: "/app/analytics", rows: 450 },
  { path: "/app/compose", rows: 700 },
  { path: "/app/uploads", rows: 1_300 },
  { path: "/app/uploads?limit=100", rows: 1_300 },
  { path: "/app/uploads?limit=100&status=failed", rows: 600 },
  { path: "/app/uploads?limit=100&page=10", rows: 3_050 },
  { path: "/app/uploads?search=number+7&platform=tiktok", rows: 2_500 },
  { path: "/app/uploads/500", rows: 40 },
  { path: "/app/reviews", rows: 400 },
  { path: "/app/accounts", rows: 300, walked: ["users"] },
  { path: "/app/accounts/acc_many_7", rows: 30 },
  // Looks whether another of the team's 200 accounts shares the login.
  { path: "/app/accounts/acc_many_7/remove", rows: 260 },
  { path: "/app/connection-pages", rows: 1_250 },
  { path: "/app/pools", rows: 4_000 },
  { path: `/app/pools/${POOL}`, rows: 4_000, walked: ["chosen", "own"] },
  { path: `/app/pools/${POOL}?from=500`, rows: 5_100, walked: ["chosen", "own"] },
  { path: "/app/short-links", rows: 1_300 },
  { path: "/app/short-links?search=number+7", rows: 2_200 },
  { path: "/app/short-links?page=20", rows: 3_150 },
  { path: "/app/short-links/500?days=90", rows: 250 },
  { path: "/app/short-links/500?browser=mobile-ios&country=DE", rows: 200 },
  { path: "/app/short-links/domains", rows: 1_170 },
  { path: "/app/setup", rows: 15, walked: ["users", "setup_ticks", "backups"] },
  { path: "/app/setup/tiktok", rows: 15, walked: ["users", "setup_ticks"] },
  { path: "/app/activity", rows: 130 },
  { path: "/app/activity?type=account&by=person", rows: 130 },
  { path: "/app/team", rows: 30 },
  { path: "/app/webhooks", rows: 30 },
  { path: "/app/webhooks/signature", rows: 10 },
  { path: "/app/tokens", rows: 30 },
];

test.each(PAGES)(
  "$path: one round trip, $rows rows at most, no walk",
  async ({ path, rows, walked }) => {
    const harness = new Harness();
    const browser = await new Browser(harness).signIn(personOf(path));
    const { result: page, costs } = await measure(harness, () => browser.get(path));
    expect(page.status).toBe(200);
    expect(costs.roundTrips).toHaveLength(1);
    expect(costs.rowsRead).toBeLessThanOrEqual(rows);
    expect(costs.rowsWritten).toBe(0);
    expect(await walks(costs.roundTrips.flat(), walked)).toEqual([]);
  },
);

/** Statements that walk a table: sorting the few rows of a page is no matter. */
const walks = async (statements: readonly Statement[], walked: string[] = []): Promise<string[]> =>
  (await slowPlans(statements, ["post", ...walked])).filter((plan) => plan.includes("SCAN "));

test.each(PAGES)(
  "$path: under 30 KB compressed, no script but files of its own, nothing from elsewhere",
  async ({ path }) => {
    const harness = new Harness();
    const browser = await new Browser(harness).signIn(personOf(path));
    const { html } = await browser.get(path);
    expect(await compressedSize(html)).toBeLessThan(MAX_PAGE_BYTES);
    expect(html).not.toMatch(
      /<script(?! type="module" src="\/app\/islands\/)|(?:src|action)="(?!\/)|<link/,
    );
  },
);
