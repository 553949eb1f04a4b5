import { type SQL, sql } from "drizzle-orm";
import type { Plan } from "../../../core/plans.ts";
import { isDraft, type UploadStatus } from "../../../core/upload-status.ts";
import { MAX_DRAFTS } from "../../posts/rules.ts";

/** Posts of the team (`u.team_id`) that hold a place in a month, from its first ms to the next one's. */
export const countsInMonth = (team: number | SQL, from: SQL, until: SQL): SQL =>
  sql`u.team_id = ${team} AND u.deleted_at IS NULL
    AND u.status_group IN ('scheduled', 'pending', 'completed')
    AND u.sort_at >= ${from} AND u.sort_at < ${until}`;

/** Posts of the team that wait for somebody to let them out. */
export const isDraftOf = (team: number | SQL): SQL =>
  sql`u.team_id = ${team} AND u.status_group IN ('draft', 'pending_approval')
    AND u.deleted_at IS NULL`;

/** The first ms of the month, UTC, that begins `months` after the one of `at`. */
export const monthStart = (at: Date, months: number): number =>
  Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1);

/** Counts the posts that hold a place in the month of `at`, up to `most`. */
function postsInMonth(team: number | SQL, at: Date, most: number): SQL {
  const [from, until] = [0, 1].map((months) => sql`${monthStart(at, months)}`) as [SQL, SQL];
  return sql`(SELECT COUNT(*) FROM
    (SELECT 1 FROM uploads u WHERE ${countsInMonth(team, from, until)} LIMIT ${most}))`;
}

/**
 * A condition of the statement that takes the place: the plan has `more` posts left in the month of `at`.
 * The check before it only serves the message; this one is atomic.
 */
export const hasQuota = (
  team: number | SQL,
  { monthlyPosts }: Plan,
  at: Date,
  more: SQL | number = 1,
): SQL =>
  monthlyPosts === null
    ? sql`TRUE`
    : sql`${postsInMonth(team, at, monthlyPosts)} + ${more} <= ${monthlyPosts}`;

/** As `hasQuota`, for new posts that all begin alike. */
export function hasRoom(
  team: number | SQL,
  plan: Plan,
  { status, sortAt }: { status: UploadStatus; sortAt: Date },
  count: number,
): SQL {
  if (!isDraft(status)) return hasQuota(team, plan, sortAt, count);
  return sql`(SELECT COUNT(*) FROM
    (SELECT 1 FROM uploads u WHERE ${isDraftOf(team)} LIMIT ${MAX_DRAFTS})) + ${count} <= ${MAX_DRAFTS}`;
}
