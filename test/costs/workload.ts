import { PLATFORMS } from "../../src/core/platforms.ts";
import { groupOf, UPLOAD_STATUSES } from "../../src/core/upload-status.ts";

interface Posts {
  firstTeam: number;
  /** Row i belongs to team `firstTeam + i % teams`. */
  teams: number;
  rows: number;
  firstId: number;
  /** Epoch ms of row 0; each next row is a minute older. */
  from: number;
}

const MINUTE_MS = 60_000;
/** Planned posts are due so far ahead that no sweep looks at them. */
const DUE_AFTER_MS = 100 * 24 * 60 * MINUTE_MS;

const list = (values: readonly string[]) => `'${JSON.stringify(values)}'`;

/**
 * SQL that stores posts by the thousand, and one account for each of the teams. A team's rows take
 * turns through all pairs of status and platform: row k of a team has status number k % 7 and platform
 * number k / 7 % 9.
 */
export function loadPosts({ firstTeam, teams, rows, firstId, from }: Posts): string[] {
  const count = (until: number) =>
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${until} - 1)`;
  const account = (i: string) => `'acc_load_' || (${firstTeam} + ${i})`;
  const pick = (values: readonly string[], turn: string) =>
    `${list(values)} ->> ('$[' || (${turn} % ${values.length}) || ']')`;
  const madeAt = `${from} - i * ${MINUTE_MS}`;
  return [
    `${count(teams)} INSERT INTO accounts (id, team_id, platform, platform_account_id, account_name,
        mode, status, connected_at)
      SELECT ${account("i")}, ${firstTeam} + i, 'bluesky', 'did:plc:' || i, 'Load', 'sandbox',
        'active', ${from}
      FROM n WHERE TRUE ON CONFLICT DO NOTHING`,
    `${count(rows)}, post (i, status, platform) AS (SELECT i,
        ${pick(UPLOAD_STATUSES, `i / ${teams}`)},
        ${pick(PLATFORMS, `i / ${teams} / ${UPLOAD_STATUSES.length}`)} FROM n)
      INSERT INTO uploads (id, team_id, account_id, platform, status, status_group, description,
        settings, media, sort_at, created_at, due_at, counted_at)
      SELECT ${firstId} + i, ${firstTeam} + i % ${teams}, ${account(`i % ${teams}`)}, platform, status,
        CASE status WHEN 'processing' THEN 'pending' ELSE status END, 'Post number ' || i,
        '{}', '[]', ${madeAt}, ${madeAt},
        CASE status WHEN 'scheduled' THEN ${from + DUE_AFTER_MS} END,
        CASE status WHEN 'completed' THEN ${madeAt} END
      FROM post`,
  ];
}

/** A link in so many was deleted, and one in so many stands on a domain of its team. */
const [DELETED_ONE_IN, ON_DOMAIN_ONE_IN] = [10, 2];

type Links = Omit<Posts, "from">;

/**
 * SQL that stores short links by the thousand, and a domain for each of the teams. Row i of a team is deleted or on
 * its domain by its number among the team's.
 */
export function loadLinks({ firstTeam, teams, rows, firstId }: Links): string[] {
  const count = (until: number) =>
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${until} - 1)`;
  const domain = (i: string) => `1000000 + ${firstTeam} + ${i}`;
  return [
    `${count(teams)} INSERT INTO domains (id, team_id, user_id, is_shared, host, txt_name, txt_value,
        cname_target, verified_at, created_at, updated_at)
      SELECT ${domain("i")}, ${firstTeam} + i, 1, 0, 'load-' || (${firstTeam} + i) || '.example', 'a', 'b',
        'c', 1, 0, 0
      FROM n WHERE TRUE ON CONFLICT DO NOTHING`,
    `${count(rows)}, link (i, turn) AS (SELECT i, i / ${teams} FROM n)
      INSERT INTO short_links (id, team_id, domain_id, slug, slug_key, destination, use_deeplink,
        bot_protection, created_by, created_at, updated_at, deleted_at, rules)
      SELECT ${firstId} + i, ${firstTeam} + i % ${teams},
        CASE turn % ${ON_DOMAIN_ONE_IN} WHEN 0 THEN ${domain(`i % ${teams}`)} ELSE 0 END,
        'load-' || (${firstId} + i), 'load-' || (${firstId} + i), 'https://example.com/', 0, 0, 1, 0, 0,
        CASE turn % ${DELETED_ONE_IN} WHEN 0 THEN 1 END, '[]'
      FROM link`,
  ];
}

/** Links of a team with `rows` of them by `loadLinks` that are not deleted. */
export const keptLinks = (rows: number): number => rows - Math.ceil(rows / DELETED_ONE_IN);

/** Every way to ask for a page of links; `limit` is how many there are on it. */
export const LINK_PAGES: {
  name: string;
  query: { page?: number; limit?: number };
  limit: number;
}[] = [
  { name: "no filter", query: {}, limit: 50 },
  { name: "limit=1", query: { limit: 1 }, limit: 1 },
  { name: "limit=100", query: { limit: 100 }, limit: 100 },
  { name: "limit=1000", query: { limit: 1_000 }, limit: 1_000 },
];

export interface ListFilter {
  name: string;
  query: Record<string, string>;
  /** Entries that the index used for the filter has of a team with `rows` posts. */
  indexed(rows: number): number;
  /** They include posts that the filter does not want: pages step over those, one by one. */
  sharesEntries: boolean;
}

const everyStatus = UPLOAD_STATUSES.length;
const everyPlatform = PLATFORMS.length;

/** Counts the numbers below `rows` that are `wanted` when divided by `by` and taken modulo `cycle`. */
function countTurns(rows: number, by: number, cycle: number, wanted: (turn: number) => boolean) {
  let count = 0;
  for (let k = 0; k < rows; k++) if (wanted(Math.floor(k / by) % cycle)) count++;
  return count;
}

const inGroupOf = (status: (typeof UPLOAD_STATUSES)[number], rows: number) =>
  countTurns(rows, 1, everyStatus, (turn) => {
    const other = UPLOAD_STATUSES[turn];
    return other !== undefined && groupOf(other) === groupOf(status);
  });

const onPlatform = (rows: number) =>
  countTurns(rows, everyStatus, everyPlatform, (turn) => turn === 0);

/** Every way to ask for a page of posts, for posts from `from` on back. */
export function listFilters(from: number): ListFilter[] {
  const [platform = ""] = PLATFORMS;
  const at = (minutesAgo: number) => new Date(from - minutesAgo * MINUTE_MS).toISOString();
  const exactly = (indexed: (rows: number) => number) => ({ indexed, sharesEntries: false });
  return [
    { name: "no filter", query: {}, ...exactly((rows) => rows) },
    ...UPLOAD_STATUSES.map((status) => ({
      name: `status=${status}`,
      query: { status },
      indexed: (rows: number) => inGroupOf(status, rows),
      sharesEntries: groupOf(status) === "pending",
    })),
    { name: "platform", query: { platform }, ...exactly(onPlatform) },
    { name: "startDate", query: { startDate: at(299) }, ...exactly((rows) => Math.min(rows, 300)) },
    {
      name: "endDate",
      query: { endDate: at(300) },
      ...exactly((rows) => Math.max(0, rows - 300)),
    },
    {
      name: "startDate+endDate",
      query: { startDate: at(299), endDate: at(100) },
      ...exactly((rows) => Math.max(0, Math.min(rows, 300) - 100)),
    },
    {
      name: "status+platform",
      query: { status: "completed", platform },
      indexed: (rows) => inGroupOf("completed", rows),
      sharesEntries: true,
    },
  ];
}
