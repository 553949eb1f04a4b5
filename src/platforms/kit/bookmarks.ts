import * as z from "zod";
import type { Bookmark } from "../connector.ts";

type Stage = z.ZodObject<{ stage: z.ZodLiteral<string> }>;

export function bookmarkReader<const S extends readonly [Stage, ...Stage[]]>(...stages: S) {
  const bookmark = z.discriminatedUnion("stage", stages);
  return (stored: Bookmark) => bookmark.parse(stored);
}

/** @throws Error when the bookmark is at another stage */
export function placeAt<P extends { stage: string }, N extends P["stage"]>(
  place: P,
  stage: N,
): Extract<P, { stage: N }> {
  if (place.stage !== stage) throw new Error(`The post stands at ${place.stage}, not at ${stage}.`);
  return place as Extract<P, { stage: N }>;
}
