import * as z from "zod";
import { notFound } from "../core/errors.ts";

/** A malformed id answers NOT_FOUND, like an unknown one. */
export const idParams = z.object({
  id: z.string().describe("The id, as the service gave it out."),
});

export const MAX_ID = 999_999_999_999_999;

export const rowId = z.number().int().min(1).max(MAX_ID);

/** @throws AppError NOT_FOUND */
export function readNumericId(text: string, what: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw notFound(what);
  return Number(text);
}
