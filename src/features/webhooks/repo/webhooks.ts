import { type SQL, sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import { type Query, sqlQuery, sqlWrite } from "../../../db/client.ts";
import { pickColumns, rowReader, valueReader } from "../../../db/rows.ts";
import type { FirstTime } from "../../idempotency/once.ts";
import { MAX_WEBHOOKS } from "../rules.ts";
import { webhooks } from "../table.ts";

export type WebhookRow = typeof webhooks.$inferSelect;

const readWebhook = rowReader(webhooks);
const readCount = valueReader(integer("webhooks").notNull());
const readId = valueReader(webhooks.id);

/** The team's webhooks, oldest first. */
export const webhooksOf = (team: number | SQL): Query<WebhookRow[]> =>
  sqlQuery(
    sql`SELECT * FROM webhooks WHERE team_id = ${team} AND deleted_at IS NULL ORDER BY id`,
    readWebhook,
  );

const isThis = (team: number | SQL, id: number): SQL =>
  sql`id = ${id} AND team_id = ${team} AND deleted_at IS NULL`;

export const findWebhook = (team: number | SQL, id: number): Query<WebhookRow[]> =>
  sqlQuery(sql`SELECT * FROM webhooks WHERE ${isThis(team, id)}`, readWebhook);

/** Answers how many webhooks the team has. */
export const countOf = (team: number | SQL): Query<number[]> =>
  sqlQuery(
    sql`SELECT COUNT(*) AS webhooks FROM webhooks WHERE team_id = ${team} AND deleted_at IS NULL`,
    readCount,
  );

type NewWebhook = Pick<WebhookRow, "teamId" | "url" | "events" | "secret" | "createdAt">;

/** The id of the webhook that the statement before inserted. */
export const NEW_ID = sql`last_insert_rowid()`;

/** Inserts a webhook where `isNew` holds and the team has room for one more. */
export const insertWebhook = (
  { teamId, url, events, secret, createdAt }: NewWebhook,
  isNew: FirstTime["isNew"],
): Query<number[]> =>
  sqlQuery(
    sql`INSERT INTO webhooks (team_id, url, events, secret, active_since, created_at, updated_at)
      SELECT ${teamId}, ${url}, ${JSON.stringify(events)}, ${secret}, ${createdAt.getTime()},
        ${createdAt.getTime()}, ${createdAt.getTime()}
      WHERE ${isNew} AND (SELECT COUNT(*) FROM webhooks
        WHERE team_id = ${teamId} AND deleted_at IS NULL) < ${MAX_WEBHOOKS}
      RETURNING id`,
    readId,
  );

/** Switches a webhook on, with its failures forgotten, or off. One that is so already stays as it is. */
export function switchWebhook(
  team: number,
  id: number,
  { isActive, at }: { isActive: boolean; at: Date },
): Query<number> {
  const on = sql`is_active = 1, active_since = ${at.getTime()}, failure_count = 0, timeouts = 0,
    next_slot_at = 0, is_notice_due = 0`;
  return sqlWrite(sql`UPDATE webhooks SET ${isActive ? on : sql`is_active = 0`}, updated_at = ${at.getTime()}
    WHERE ${isThis(team, id)} AND is_active = ${isActive ? 0 : 1}`);
}

export const setSecret = (
  team: number,
  id: number,
  { secret, at }: { secret: string; at: Date },
): Query<number> =>
  sqlWrite(sql`UPDATE webhooks SET secret = ${secret}, updated_at = ${at.getTime()}
    WHERE ${isThis(team, id)}`);

export const deleteWebhook = (team: number, id: number, at: Date): Query<number> =>
  sqlWrite(sql`UPDATE webhooks SET deleted_at = ${at.getTime()}, is_active = 0, is_notice_due = 0
    WHERE ${isThis(team, id)}`);

/** The secrets of all webhooks, in the order of their ids. */
export const sealedSecrets = (after: number, most: number) =>
  sqlQuery(
    sql`SELECT id, team_id, secret FROM webhooks WHERE id > ${after} ORDER BY id LIMIT ${most}`,
    rowReader(pickColumns(webhooks, ["id", "teamId", "secret"])),
  );

export type SealedSecret = Pick<WebhookRow, "id" | "teamId" | "secret">;

/** Replaces a secret that is still the same. */
export const replaceSecret = ({ id, secret }: SealedSecret, fresh: string): Query<number> =>
  sqlWrite(sql`UPDATE webhooks SET secret = ${fresh} WHERE id = ${id} AND secret = ${secret}`);

/** Finds the webhook that comes `count` webhooks after the first with an id of `from` or more. */
export const webhookAfter = (from: number, count: number): Query<number[]> =>
  sqlQuery(
    sql`SELECT id FROM webhooks WHERE id >= ${from} ORDER BY id LIMIT 1 OFFSET ${count}`,
    readId,
  );

/** The next `count` webhooks, those that were deleted included. */
const nextWebhooks = (from: number, count: number): SQL =>
  sql`(SELECT id, deleted_at FROM webhooks WHERE id >= ${from} ORDER BY id LIMIT ${count})`;

/** After the id of every attempt. */
const AFTER_ALL = "dlw";

/**
 * Removes up to `most` attempts with an id below `before` of the next `count` webhooks, beginning with `from`;
 * all of one that was deleted.
 */
export const removeAttempts = ({
  from,
  count,
  before,
  most,
}: Record<"from" | "count" | "most", number> & { before: string }): Query<number> =>
  sqlWrite(sql`DELETE FROM attempts WHERE (webhook_id, id) IN (
    SELECT old.webhook_id, old.id FROM ${nextWebhooks(from, count)} w
      CROSS JOIN attempts old ON old.webhook_id = w.id
        AND old.id < CASE WHEN w.deleted_at IS NULL THEN ${before} ELSE ${AFTER_ALL} END
      LIMIT ${most})`);

/** Removes those of the next `count` webhooks that were deleted and have nothing left of their log. */
export const removeDeleted = (from: number, count: number): Query<number> =>
  sqlWrite(sql`DELETE FROM webhooks WHERE id IN (SELECT w.id FROM ${nextWebhooks(from, count)} w
    WHERE w.deleted_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM attempts WHERE webhook_id = w.id))`);

/** Removes up to `most` attempts of a team, and those of its webhooks whose log is gone. */
export const eraseWebhooks = (team: number, most: number): Query<number>[] =>
  [
    sql`DELETE FROM attempts WHERE (webhook_id, id) IN
      (SELECT a.webhook_id, a.id FROM webhooks w CROSS JOIN attempts a ON a.webhook_id = w.id
        WHERE w.team_id = ${team} LIMIT ${most})`,
    sql`DELETE FROM webhooks WHERE team_id = ${team}
      AND NOT EXISTS (SELECT 1 FROM attempts WHERE webhook_id = webhooks.id)`,
  ].map(sqlWrite);

/**
 * Removes the deliveries of a team. It walks all that wait, as an index by team would be a write more for every
 * attempt: it is to be run once for a team, whose deliveries have been forgotten by then, as each was due.
 */
export const eraseDeliveries = (team: number): Query<number> =>
  sqlWrite(sql`DELETE FROM deliveries WHERE team_id = ${team}`);
