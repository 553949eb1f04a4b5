import * as z from "zod";
import type { Bookmark } from "../connector.ts";

type Stage = z.ZodObject<{ stage: z.ZodLiteral<string> }>;

/** Makes the reader of a platform's bookmarks. @param stages the shape of each stage */
export function bookmarkReader<const S extends readonly [Stage, ...Stage[]]>(...stages: S) {
  const bookmark = z.discriminatedUnion("stage", stages);
  return (stored: Bookmark) => bookmark.parse(stored);
}

/** Returns a place that is known to be at `stage`. @throws where it is at another */
export function placeAt<P extends { stage: string }, N extends P["stage"]>(
  place: P,
  stage: N,
): Extract<P, { stage: N }> {
  if (place.stage !== stage) throw new Error(`The post stands at ${place.stage}, not at ${stage}.`);
  return place as Extract<P, { stage: N }>;
}
