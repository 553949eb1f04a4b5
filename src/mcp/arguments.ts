import * as z from "zod";

/** The number of a post; models write it as a text as often as not. */
export const postIdArgument = z
  .union([z.number().int().positive(), z.string().regex(/^[1-9]\d{0,14}$/, "must be a number")])
  .transform(Number);
