import { beforeAll, expect, test } from "vitest";
import { createMember, Harness, type Member, START } from "../support/harness.ts";
import { measure, type Statement } from "../support/meter.ts";
import { Browser } from "../support/person.ts";
import { slowPlans, store } from "./support.ts";
import { loadPosts } from "./workload.ts";

const ROWS = 1_000;
/** Compressed: a second on a slow phone. */
const MAX_PAGE_BYTES = 30_000;

let member: Member;

async function compressedSize(text: string): Promise<number> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(stream).arrayBuffer()).byteLength;
}

beforeAll(async () => {
  member = await createMember();
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
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4999)
      INSERT INTO events (team_id, id, name, data, created_at)
      SELECT ${teamId}, 'evt_' || printf('%012x', ${from} - 500 * 60000 + i) || printf('%016x', i),
        'upload.scheduled', json_object('uploadId', i, 'platform', 'bluesky', 'accountId', 'acc',
          'scheduledFor', '2026-12-24T18:30:00Z'), ${from} FROM n`,
  ]);
});

/** `walked`: tables of which a page looks at the first rows, until it finds what it is after. */
interface MeasuredPage {
  path: string;
  rows: number;
  walked?: string[];
}

const PAGES: MeasuredPage[] = [
  { path: "/app", rows: 1_000, walked: ["users"] },
  { path: "/app/calendar?month=2026-12", rows: 5_100 },
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
  { path: "/app/setup", rows: 15, walked: ["users", "setup_ticks"] },
  { path: "/app/setup/tiktok", rows: 15, walked: ["users", "setup_ticks"] },
  { path: "/app/team", rows: 30 },
  { path: "/app/tokens", rows: 30 },
];

test.each(PAGES)(
  "$path: one round trip, $rows rows at most, no walk",
  async ({ path, rows, walked }) => {
    const harness = new Harness();
    const browser = await new Browser(harness).signIn(member);
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
    const browser = await new Browser(harness).signIn(member);
    const { html } = await browser.get(path);
    expect(await compressedSize(html)).toBeLessThan(MAX_PAGE_BYTES);
    expect(html).not.toMatch(
      /<script(?! type="module" src="\/app\/islands\/)|(?:src|action)="(?!\/)|<link/,
    );
  },
);
