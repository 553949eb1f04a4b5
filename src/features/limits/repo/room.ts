import { type SQL, sql } from "drizzle-orm";
import type { Plan } from "../../../core/plans.ts";
import { isDraft, type UploadStatus } from "../../../core/upload-status.ts";
import { MAX_DRAFTS } from "../../posts/rules.ts";

/** SQL condition: the team's post `u` counts in the month from `from` until `until`, in epoch ms. */
export const countsInMonth = (team: number | SQL, from: SQL, until: SQL): SQL =>
  sql`u.team_id = ${team} AND u.deleted_at IS NULL
    AND u.status_group IN ('scheduled', 'pending', 'completed')
    AND u.sort_at >= ${from} AND u.sort_at < ${until}`;

/** SQL condition: the team's post `u` is a draft or awaits approval. */
export const isDraftOf = (team: number | SQL): SQL =>
  sql`u.team_id = ${team} AND u.status_group IN ('draft', 'pending_approval')
    AND u.deleted_at IS NULL`;

export const monthStart = (at: Date, months: number): number =>
  Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1);

function postsInMonth(team: number | SQL, at: Date, max: number): SQL {
  const [from, until] = [0, 1].map((months) => sql`${monthStart(at, months)}`) as [SQL, SQL];
  return sql`(SELECT COUNT(*) FROM
    (SELECT 1 FROM uploads u WHERE ${countsInMonth(team, from, until)} LIMIT ${max}))`;
}

/**
 * SQL condition: the plan has `more` posts left in the month of `at`. An earlier check gives the error message; only
 * this condition is atomic.
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

/** SQL condition: the team has room for `count` posts with this status and date. */
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
