import * as z from "zod";

/** A text that may be missing, or be no text at all: then it is null. */
export const maybeText = z
  .string()
  .nullish()
  .catch(null)
  .transform((text) => text ?? null);

/** A body of which one field counts. */
export const field = <T>(name: string, shape: z.ZodType<T>): z.ZodType<T> =>
  z.object({ [name]: shape }).transform((body) => body[name] as T);
