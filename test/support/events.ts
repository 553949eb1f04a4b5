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

/** Names of the events of a team, in their order. */
export async function eventNames(teamId: number): Promise<string[]> {
  const { results } = await env.DB.prepare("SELECT name FROM events WHERE team_id = ? ORDER BY id")
    .bind(teamId)
    .all<{ name: string }>();
  return results.map(({ name }) => name);
}
