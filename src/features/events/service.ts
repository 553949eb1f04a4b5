import { firstIdSince } from "../../core/ids.ts";
import type { Ctx } from "../../deps.ts";
import { KEPT_MS } from "./expiry.ts";
import { eventsAfter, lastEventId } from "./repo.ts";
import type { EventFeed } from "./schema.ts";

/** New events sort last, so none appears before a reader's cursor. */
export async function readFeed(ctx: Ctx, { after, limit, type }: EventFeed) {
  const oldest = firstIdSince("evt", new Date(ctx.now().getTime() - KEPT_MS));
  const from = later(after ?? "", oldest);
  const [rows, [last = from]] = await ctx.read("webhooks:read", [
    eventsAfter(ctx.team, { after: from, name: type ?? null, limit: limit + 1 }),
    lastEventId(ctx.team),
  ]);
  const events = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  const seen = hasMore ? (events.at(-1)?.id ?? from) : last;
  return { events, hasMore, nextCursor: later(from, seen) };
}

const later = (a: string, b: string): string => (a > b ? a : b);
