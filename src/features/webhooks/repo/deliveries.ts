import { sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { MAX_FAILURES } from "../../../core/webhooks.ts";
import {
  type Listed,
  listed,
  prepared,
  preparedWrite,
  type Query,
  sqlWrite,
} from "../../../db/client.ts";
import { flag, instant } from "../../../db/columns.ts";
import { pickColumns, rowReader, valueReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import type { DueKey } from "../../../queue/wake.ts";
import type { EventName } from "../../events/catalogue.ts";
import { LONGEST_TURN_MS } from "../rules.ts";
import { type attempts, deliveries } from "../table.ts";

export type AttemptRow = typeof attempts.$inferSelect;
type DeliveryRow = typeof deliveries.$inferSelect;

export type DeliveryKey = Pick<DeliveryRow, "dueAt" | "eventId" | "webhookId" | "queuedAt">;

const readDue = rowReader({
  ...pickColumns(deliveries, ["dueAt", "eventId", "webhookId", "teamId", "kind", "attempt"]),
  ...pickColumns(deliveries, ["hasSlot", "queuedAt"]),
  url: text("url"),
  secret: text("secret"),
  isActive: flag("is_active"),
  activeSince: instant("active_since"),
  failureCount: integer("failure_count"),
  timeouts: integer("timeouts"),
  event: text("event").$type<EventName>(),
  data: text("data"),
  eventAt: instant("event_at"),
});

/** Columns of a deleted webhook or event are null. */
export type Due = ReturnType<typeof readDue>;

export const dueDeliveries = (keys: readonly DueKey[], max: number): Query<Due[]> =>
  allDue({ keys: JSON.stringify(keys), max });

const allDue = prepared(
  ({ keys, max }: Params<{ keys: string; max: number }>) => sql`
    SELECT d.due_at, d.event_id, d.webhook_id, d.team_id, d.kind, d.attempt, d.has_slot, d.queued_at,
      w.url, w.secret, w.is_active, w.active_since, w.failure_count, w.timeouts,
      e.name AS event, e.data, e.created_at AS event_at
    FROM json_each(${keys}) k
    CROSS JOIN deliveries d ON d.due_at = k.value ->> 0 AND d.event_id = k.value ->> 1
    LEFT JOIN webhooks w ON w.id = d.webhook_id AND w.deleted_at IS NULL
    LEFT JOIN events e ON e.team_id = d.team_id AND e.id = d.event_id
    LIMIT ${max}`,
  readDue,
);

const keyColumns = sql`value ->> 0, value ->> 1, value ->> 2, value ->> 3`;

const keyOf = ({ dueAt, eventId, webhookId, queuedAt }: DeliveryKey) =>
  [dueAt.getTime(), eventId, webhookId, queuedAt.getTime()] as const;

export interface Move {
  key: DeliveryKey;
  to: Date;
  attempt: number;
  hasSlot: boolean;
}

/** Skips deliveries that another run rescheduled or ended. */
export const moveDeliveries = listed(
  ({ key, to, attempt, hasSlot }: Move) => [...keyOf(key), to.getTime(), attempt, Number(hasSlot)],
  preparedWrite(
    ({ list }: Listed) => sql`UPDATE deliveries
      SET due_at = m.value ->> 4, attempt = m.value ->> 5, has_slot = m.value ->> 6
      FROM json_each(${list}) m
      WHERE deliveries.due_at = m.value ->> 0 AND deliveries.event_id = m.value ->> 1
        AND deliveries.webhook_id = m.value ->> 2 AND deliveries.queued_at = m.value ->> 3`,
  ),
);

export const endDeliveries = listed(
  keyOf,
  preparedWrite(
    ({ list }: Listed) => sql`DELETE FROM deliveries
      WHERE (due_at, event_id, webhook_id, queued_at) IN (SELECT ${keyColumns} FROM json_each(${list}))`,
  ),
);

export const insertAttempts = listed(
  (row: AttemptRow) => [
    row.webhookId,
    row.id,
    row.teamId,
    row.eventId,
    row.event,
    row.attempt,
    Number(row.success),
    row.statusCode,
    row.error,
    row.durationMs,
    row.createdAt.getTime(),
    row.answer,
  ],
  preparedWrite(
    ({
      list,
    }: Listed) => sql`INSERT OR IGNORE INTO attempts (webhook_id, id, team_id, event_id, event,
        attempt, success, status_code, error, duration_ms, created_at, answer)
      SELECT ${keyColumns}, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8, value ->> 9,
        value ->> 10, value ->> 11
      FROM json_each(${list})`,
  ),
);

export const noteSuccesses = listed(
  (id: number) => id,
  preparedWrite(
    ({ list }: Listed) => sql`UPDATE webhooks SET failure_count = 0
      WHERE id IN (SELECT value FROM json_each(${list})) AND is_active = 1 AND failure_count > 0`,
  ),
);

export const noteAnswers = listed(
  (id: number) => id,
  preparedWrite(
    ({ list }: Listed) => sql`UPDATE webhooks SET timeouts = 0, next_slot_at = 0
      WHERE id IN (SELECT value FROM json_each(${list})) AND timeouts > 0`,
  ),
);

export const noteTimeouts = listed(
  ([id, count]: readonly [id: number, count: number]) => [id, count],
  preparedWrite(
    ({ list }: Listed) => sql`UPDATE webhooks SET timeouts = timeouts + (t.value ->> 1)
      FROM json_each(${list}) t WHERE webhooks.id = t.value ->> 0 AND deleted_at IS NULL`,
  ),
);

/** Counts a failed event if the previous statement ended its delivery. The third in a row switches the webhook off. */
export const noteExhausted = preparedWrite(
  ({ id, at }: Params<{ id: number; at: Date }>) => sql`UPDATE webhooks
    SET failure_count = failure_count + 1, is_active = failure_count + 1 < ${MAX_FAILURES},
      is_notice_due = failure_count + 1 >= ${MAX_FAILURES}, updated_at = ${at}
    WHERE id = ${id} AND is_active = 1 AND deleted_at IS NULL AND changes() > 0`,
);

/**
 * Reserves consecutive turns at a slow endpoint, one every `TURN_MS`, and returns the first; no row when that is over
 * `LONGEST_TURN_MS` away.
 */
export const takeTurns = prepared(
  ({ webhookId, span, now }: Params<{ webhookId: number; span: number; now: Date }>) =>
    sql`UPDATE webhooks SET next_slot_at = max(next_slot_at, ${now}) + ${span}
      WHERE id = ${webhookId} AND next_slot_at < ${now} + ${LONGEST_TURN_MS}
      RETURNING id, next_slot_at - ${span} AS first`,
  rowReader({ webhookId: integer("id").notNull(), first: instant("first").notNull() }),
);

const readKey = rowReader(pickColumns(deliveries, ["dueAt", "eventId"]));

/** Queue messages with the old due time find nothing afterwards. */
export const takeOverdue = prepared(
  ({ overdue, to, max }: Params<{ overdue: Date; to: Date; max: number }>) =>
    sql`UPDATE deliveries SET due_at = ${to} WHERE (due_at, event_id, webhook_id, queued_at) IN
      (SELECT due_at, event_id, webhook_id, queued_at FROM deliveries WHERE due_at <= ${overdue}
        ORDER BY due_at LIMIT ${max})
    RETURNING due_at, event_id`,
  readKey,
);

/** Unlike `takeOverdue`, reads no row when no delivery is overdue. */
export const anyOverdue = prepared(
  ({ overdue }: Params<{ overdue: Date }>) =>
    sql`SELECT due_at, event_id FROM deliveries WHERE due_at <= ${overdue} ORDER BY due_at LIMIT 1`,
  readKey,
);

/** Answers 0 when the delivery's key already exists. */
export const insertDelivery = (
  row: Pick<DeliveryRow, "eventId" | "webhookId" | "teamId" | "kind">,
  at: Date,
) =>
  sqlWrite(sql`INSERT INTO deliveries (due_at, event_id, webhook_id, team_id, kind, queued_at)
    VALUES (${at.getTime()}, ${row.eventId}, ${row.webhookId}, ${row.teamId}, ${row.kind}, ${at.getTime()})
    ON CONFLICT DO NOTHING`);

/** Spec is silent. */
const LOOKED_AT = { attempts: 20_000, deliveries: 20_000 };

interface Failed {
  webhookId: number;
  team: number;
  /** Ids of attempts from here on. */
  from: string;
  /** Epoch ms. */
  at: number;
  max: number;
}

/**
 * Sends events again whose attempts all failed, oldest first, unless one waits to be sent. Looks at the newest attempts
 * only, so that a success is never missed.
 */
export const replayFailed = prepared(
  ({ webhookId, team, from, at, max }: Params<Failed>) =>
    sql`INSERT INTO deliveries (due_at, event_id, webhook_id, team_id, kind, queued_at)
      SELECT ${at}, event_id, ${webhookId}, ${team}, 'replay', ${at}
      FROM (SELECT id, event_id, event, success FROM attempts
        WHERE webhook_id = ${webhookId} AND team_id = ${team} AND id >= ${from}
        ORDER BY id DESC LIMIT ${sql.raw(`${LOOKED_AT.attempts}`)})
      WHERE event <> 'webhook.ping'
      GROUP BY event_id
      HAVING max(success) = 0
        AND EXISTS (SELECT 1 FROM events WHERE team_id = ${team} AND events.id = event_id)
        AND event_id NOT IN (SELECT event_id FROM
          (SELECT event_id, webhook_id FROM deliveries ORDER BY due_at LIMIT ${sql.raw(`${LOOKED_AT.deliveries}`)})
          WHERE webhook_id = ${webhookId})
      ORDER BY min(id) LIMIT ${max}
      ON CONFLICT DO NOTHING RETURNING event_id`,
  valueReader(deliveries.eventId),
);
