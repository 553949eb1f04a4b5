import { env } from "cloudflare:workers";

const MINUTE_MS = 60_000;

/**
 * Minutes until the tick before a team's next post, lease or slot is due: 1 where something is due already, at
 * most `most`. The ticks between find nothing to do.
 */
export async function minutesToNextWork(teamId: number, max: number): Promise<number> {
  const now = Date.now();
  const at = await env.DB.prepare(
    `SELECT MIN(at) AS at FROM (
       SELECT MAX(due_at, coalesce(lease_until, 0)) AS at FROM uploads WHERE team_id = ?1 AND due_at IS NOT NULL
       UNION ALL
       SELECT next_at FROM pool_slots WHERE pool_id IN (SELECT id FROM pools WHERE team_id = ?1)
         AND next_at IS NOT NULL)`,
  )
    .bind(teamId)
    .first<number>("at");
  const minutes = at === null ? max : Math.floor((at - now) / MINUTE_MS) - 1;
  return Math.min(max, Math.max(1, minutes));
}
