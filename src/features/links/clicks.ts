import type { Query } from "../../db/client.ts";
import type { ClicksMessage, LinkClick } from "../../queue/messages.ts";

const isClick = (value: unknown): value is LinkClick =>
  Array.isArray(value) &&
  Number.isSafeInteger(value[0]) &&
  Number.isSafeInteger(value[1]) &&
  (value[2] === null || typeof value[2] === "string") &&
  typeof value[3] === "string";

export function isClicks(body: unknown): body is ClicksMessage {
  const { kind, id, clicks } = (body ?? {}) as Partial<ClicksMessage>;
  return (
    kind === "clicks" && typeof id === "string" && Array.isArray(clicks) && clicks.every(isClick)
  );
}

/** A trigger counts what is inserted: a message that comes again inserts nothing. */
const STORE = `INSERT INTO link_clicks (link_id, at, message, count, clicks)
  SELECT l.id, c.value ->> 1, c.value ->> 2, c.value ->> 3, c.value -> 4
  FROM json_each(?) c CROSS JOIN short_links l ON l.id = c.value ->> 0
  WHERE TRUE ON CONFLICT DO NOTHING`;

/** Stores the clicks of messages, each once however often its message comes. */
export function storeClicks(messages: readonly ClicksMessage[]): Query<number> {
  const rows = messages.flatMap(({ id, clicks }) =>
    [...Map.groupBy(clicks, ([linkId]) => linkId)].map(([linkId, own]) => {
      const stored = own.map(([, ...click]) => click);
      return [linkId, Math.min(...stored.map(([at]) => at)), id, stored.length, stored];
    }),
  );
  return { sql: STORE, params: [JSON.stringify(rows)], read: ({ meta }) => meta.changes };
}
