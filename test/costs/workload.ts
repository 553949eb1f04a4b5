import { groupOf, UPLOAD_STATUSES } from "../../src/features/uploads/rules.ts";
import { PLATFORMS } from "../../src/platforms/registry.ts";

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
