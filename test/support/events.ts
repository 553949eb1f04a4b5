import { env } from "cloudflare:workers";
import * as z from "zod";
import { EVENTS, type EventName } from "../../src/features/events/catalogue.ts";

/** Throws for an event, of all that the tests of a file have led to, that is not as its schema says. */
export async function refuseUnknownEvents(): Promise<void> {
  const { results } = await env.DB.prepare("SELECT name, data FROM events").all<{
    name: EventName;
    data: string;
  }>();
  for (const { name, data } of results) {
    const { error } = EVENTS[name].safeParse(JSON.parse(data));
    if (error) throw new Error(`An event ${name} is not as documented: ${z.prettifyError(error)}`);
  }
}
