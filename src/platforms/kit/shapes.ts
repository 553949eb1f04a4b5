import * as z from "zod";

export const maybeText = z
  .string()
  .nullish()
  .catch(null)
  .transform((text) => text ?? null);

export const field = <T>(name: string, shape: z.ZodType<T>): z.ZodType<T> =>
  z.object({ [name]: shape }).transform((body) => body[name] as T);
