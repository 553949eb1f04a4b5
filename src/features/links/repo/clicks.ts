import { MINUTE } from "../../../core/time.ts";
import type { Query } from "../../../db/client.ts";
import { plainWrite } from "../../../db/plain.ts";
import type { linkClicks } from "../table.ts";

/** A trigger stores the clicks and ignores repeated messages. */
const STORE = `INSERT INTO arriving_clicks (link_id, at, message, count, clicks)
  SELECT l.id, c.value ->> 1, c.value ->> 2, c.value ->> 3, c.value -> 4
  FROM json_each(?) c CROSS JOIN short_links l ON l.id = c.value ->> 0`;

type Click = (typeof linkClicks.$inferSelect)["clicks"][number];
type LinkClick = [linkId: number, ...Click];

interface Message {
  id: string;
  clicks: readonly LinkClick[];
}

/** One row for each message, link and minute. */
export function storeClicks(messages: readonly Message[]): Query<number> {
  const rows = messages.flatMap(({ id, clicks }) =>
    [...Map.groupBy(clicks, minuteOf).values()].map((own) => {
      const [[linkId]] = own as [(typeof own)[0]];
      const stored = own.map(([, ...click]) => click);
      return [linkId, Math.min(...stored.map(([at]) => at)), id, stored.length, stored];
    }),
  );
  return plainWrite(STORE, [JSON.stringify(rows)]);
}

const minuteOf = ([linkId, at]: LinkClick): string => `${linkId} ${Math.floor(at / MINUTE)}`;
