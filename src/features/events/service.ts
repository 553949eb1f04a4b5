import { firstIdSince } from "../../core/ids.ts";
import { SECOND } from "../../core/time.ts";
import type { Ctx } from "../../deps.ts";
import { KEPT_MS } from "./expiry.ts";
import { eventsAfter } from "./repo.ts";
import type { EventFeed } from "./schema.ts";

/**
 * An event is seen this long after its id was made, at the latest: that is as long as a write may take. So
 * long a cursor keeps behind the present, or an event could be stored behind it. Source: D1, "Limits".
 */
const SETTLED_MS = 30 * SECOND;

/** Reads a page of the team's events, oldest first, and where the next one begins. */
export async function readFeed(ctx: Ctx, { after, limit, type }: EventFeed) {
  const now = ctx.now().getTime();
  const idAt = (ms: number) => firstIdSince("evt", new Date(ms));
  const from = later(after ?? "", idAt(now - KEPT_MS));
  const query = eventsAfter(ctx.team, { after: from, name: type ?? null, limit });
  const [events] = await ctx.read("webhooks:read", [query]);
  const settled = idAt(now - SETTLED_MS);
  const isFull = events.length === limit;
  const seen = isFull ? (events.at(-1)?.id ?? from) : settled;
  return { events, nextCursor: later(from, seen < settled ? seen : settled) };
}

const later = (a: string, b: string): string => (a > b ? a : b);
