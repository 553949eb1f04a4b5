import { type SQL, sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { prepared, type Query, sqlQuery, sqlWrite } from "../../../db/client.ts";
import { instant } from "../../../db/columns.ts";
import { pickColumns, rowReader, valueReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import type { FirstTime } from "../../idempotency/once.ts";
import { MAX_WEBHOOKS } from "../rules.ts";
import { attempts, webhooks } from "../table.ts";

export type WebhookRow = typeof webhooks.$inferSelect;

const readWebhook = rowReader(webhooks);
const readId = valueReader(webhooks.id);

export const webhooksOf = (team: number | SQL): Query<WebhookRow[]> =>
  sqlQuery(
    sql`SELECT * FROM webhooks WHERE team_id = ${team} AND deleted_at IS NULL ORDER BY id`,
    readWebhook,
  );

const isThis = (team: number | SQL, id: number): SQL =>
  sql`id = ${id} AND team_id = ${team} AND deleted_at IS NULL`;

export const findWebhook = (team: number | SQL, id: number): Query<WebhookRow[]> =>
  sqlQuery(sql`SELECT * FROM webhooks WHERE ${isThis(team, id)}`, readWebhook);

export const countOf = (team: number | SQL): Query<number[]> =>
  sqlQuery(
    sql`SELECT COUNT(*) AS webhooks FROM webhooks WHERE team_id = ${team} AND deleted_at IS NULL`,
    valueReader(integer("webhooks").notNull()),
  );

export interface Tally {
  webhookId: number;
  attempts: number;
  succeeded: number;
}

/** Counts the newest attempts of each webhook from `from` on, up to `max`. */
export const talliesOf = prepared(
  ({ team, from, max }: Params<{ team: SQL; from: string; max: number }>) =>
    sql`SELECT w.id AS webhook_id, t.value ->> 0 AS attempts, t.value ->> 1 AS succeeded
      FROM webhooks w, json_each((SELECT json_array(json_array(count(*), coalesce(sum(success), 0))) FROM
        (SELECT success FROM attempts WHERE webhook_id = w.id AND id >= ${from} ORDER BY id DESC LIMIT ${max}))) t
      WHERE w.team_id = ${team} AND w.deleted_at IS NULL`,
  rowReader({
    webhookId: integer("webhook_id").notNull(),
    attempts: integer("attempts").notNull(),
    succeeded: integer("succeeded").notNull(),
  }),
);

const readLogged = rowReader({
  ...pickColumns(attempts, ["id", "eventId", "event", "attempt", "success", "statusCode", "error"]),
  ...pickColumns(attempts, ["durationMs", "createdAt", "answer"]),
  data: text("data"),
  eventAt: instant("event_at"),
});

/** `data` and `eventAt` are null for a removed event. */
export type LoggedAttempt = ReturnType<typeof readLogged>;

const logged = (team: number | SQL, webhookId: number, rest: SQL): SQL => sql`
  SELECT a.id, a.event_id, a.event, a.attempt, a.success, a.status_code, a.error, a.duration_ms,
    a.created_at, a.answer, e.data, e.created_at AS event_at
  FROM attempts a LEFT JOIN events e ON e.team_id = a.team_id AND e.id = a.event_id
  WHERE a.webhook_id = ${webhookId} AND a.team_id = ${team} ${rest}`;

interface AttemptPage {
  limit: number;
  /** Id of the attempt before which the page begins. */
  before?: string | undefined;
}

/** Newest first. */
export const attemptsOf = (
  team: number | SQL,
  webhookId: number,
  { limit, before }: AttemptPage,
): Query<LoggedAttempt[]> =>
  sqlQuery(
    logged(
      team,
      webhookId,
      sql`${before === undefined ? sql`` : sql`AND a.id < ${before}`} ORDER BY a.id DESC LIMIT ${limit}`,
    ),
    readLogged,
  );

export const findAttempt = (team: number | SQL, webhookId: number, id: string) =>
  sqlQuery(logged(team, webhookId, sql`AND a.id = ${id}`), readLogged);

type NewWebhook = Pick<WebhookRow, "teamId" | "url" | "events" | "secret" | "createdAt">;

/** The id that the previous statement inserted. */
export const NEW_ID = sql`last_insert_rowid()`;

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

export const sealedSecrets = (after: number, max: number) =>
  sqlQuery(
    sql`SELECT id, team_id, secret FROM webhooks WHERE id > ${after} ORDER BY id LIMIT ${max}`,
    rowReader(pickColumns(webhooks, ["id", "teamId", "secret"])),
  );

export type SealedSecret = Pick<WebhookRow, "id" | "teamId" | "secret">;

/** Skips a secret that was changed meanwhile. */
export const replaceSecret = ({ id, secret }: SealedSecret, fresh: string): Query<number> =>
  sqlWrite(sql`UPDATE webhooks SET secret = ${fresh} WHERE id = ${id} AND secret = ${secret}`);

/** Finds the webhook `count` places after the first id from `from` on. */
export const webhookAfter = (from: number, count: number): Query<number[]> =>
  sqlQuery(
    sql`SELECT id FROM webhooks WHERE id >= ${from} ORDER BY id LIMIT 1 OFFSET ${count}`,
    readId,
  );

const nextWebhooks = (from: number, count: number): SQL =>
  sql`(SELECT id, deleted_at FROM webhooks WHERE id >= ${from} ORDER BY id LIMIT ${count})`;

/** Sorts after every attempt id. */
const AFTER_ALL = "dlw";

/** Removes old attempts of the next `count` webhooks, and all of deleted ones. */
export const removeAttempts = ({
  from,
  count,
  before,
  max,
}: Record<"from" | "count" | "max", number> & { before: string }): Query<number> =>
  sqlWrite(sql`DELETE FROM attempts WHERE (webhook_id, id) IN (
    SELECT old.webhook_id, old.id FROM ${nextWebhooks(from, count)} w
      CROSS JOIN attempts old ON old.webhook_id = w.id
        AND old.id < CASE WHEN w.deleted_at IS NULL THEN ${before} ELSE ${AFTER_ALL} END
      LIMIT ${max})`);

export const removeDeleted = (from: number, count: number): Query<number> =>
  sqlWrite(sql`DELETE FROM webhooks WHERE id IN (SELECT w.id FROM ${nextWebhooks(from, count)} w
    WHERE w.deleted_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM attempts WHERE webhook_id = w.id))`);

export const eraseWebhooks = (team: number, max: number): Query<number>[] =>
  [
    sql`DELETE FROM attempts WHERE (webhook_id, id) IN
      (SELECT a.webhook_id, a.id FROM webhooks w CROSS JOIN attempts a ON a.webhook_id = w.id
        WHERE w.team_id = ${team} LIMIT ${max})`,
    sql`DELETE FROM webhooks WHERE team_id = ${team}
      AND NOT EXISTS (SELECT 1 FROM attempts WHERE webhook_id = webhooks.id)`,
  ].map(sqlWrite);

/**
 * Scans all waiting deliveries, because an index by team would cost a written row per attempt. Runs once per deleted
 * team.
 */
export const eraseDeliveries = (team: number): Query<number> =>
  sqlWrite(sql`DELETE FROM deliveries WHERE team_id = ${team}`);
