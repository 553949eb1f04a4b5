import type { Query } from "../../../db/client.ts";
import { plainWrite } from "../../../db/plain.ts";
import type { Click } from "../table.ts";

/** A trigger counts what is inserted: a message that comes again inserts nothing. */
const STORE = `INSERT INTO link_clicks (link_id, at, message, count, clicks)
  SELECT l.id, c.value ->> 1, c.value ->> 2, c.value ->> 3, c.value -> 4
  FROM json_each(?) c CROSS JOIN short_links l ON l.id = c.value ->> 0
  WHERE TRUE ON CONFLICT DO NOTHING`;

/** The clicks of one isolate, each with its link, under an id of their own. */
interface Message {
  id: string;
  clicks: readonly [linkId: number, ...Click][];
}

/** Stores the clicks of messages, each once however often its message comes. */
export function storeClicks(messages: readonly Message[]): Query<number> {
  const rows = messages.flatMap(({ id, clicks }) =>
    [...Map.groupBy(clicks, ([linkId]) => linkId)].map(([linkId, own]) => {
      const stored = own.map(([, ...click]) => click);
      return [linkId, Math.min(...stored.map(([at]) => at)), id, stored.length, stored];
    }),
  );
  return plainWrite(STORE, [JSON.stringify(rows)]);
}
