import * as z from "zod";

/** Accepts strings too, because models often send them. */
export const postIdArgument = z
  .union([z.number().int().positive(), z.string().regex(/^[1-9]\d{0,14}$/, "must be a number")])
  .transform(Number);
