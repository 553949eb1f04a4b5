import * as z from "zod";
import { notFound } from "../core/errors.ts";

/** A path id. Whatever is no id of ours is simply not found, like an id of somebody else's. */
export const idParams = z.object({
  id: z.string().describe("The id, as the service gave it out."),
});

/** @throws AppError NOT_FOUND for what cannot be a number of ours */
export function readNumericId(text: string, what: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw notFound(what);
  return Number(text);
}
