import { toLabel } from "../kit/label.ts";
import type { Call } from "../kit/simulator.ts";
import { didOf, displayNameOf, isSimulatedHandle } from "./identity.ts";
import { invalidRequest, requireParam } from "./xrpc.ts";

const NOBODY = /^(?:nobody|unknown)/i;

const handlesLike = (query: string): string[] => {
  if (NOBODY.test(query)) return [];
  if (query.includes(".")) return isSimulatedHandle(query) ? [query] : [];
  const label = toLabel(query);
  return [`${label}.bsky.social`, `${label}-news.bsky.social`];
};

/** Source: lexicon app.bsky.actor.searchActorsTypeahead. */
export async function searchActorsTypeahead(call: Call): Promise<Response> {
  const query = requireParam(call, "q").trim().toLowerCase();
  const limit = Number(call.req.query("limit") ?? "10");
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw invalidRequest("Error: limit must be an integer from 1 to 100");
  }
  const actors = await Promise.all(
    handlesLike(query)
      .slice(0, limit)
      .map(async (handle) => ({
        did: await didOf(handle),
        handle,
        displayName: displayNameOf(handle),
        labels: [],
      })),
  );
  return Response.json({ actors });
}
