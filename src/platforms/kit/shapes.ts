import * as z from "zod";
import { refusedUrl } from "../../core/url-policy.ts";

export const maybeText = z
  .string()
  .nullish()
  .catch(null)
  .transform((text) => text ?? null);

const MAX_ADDRESS_CHARACTERS = 2_048;

/** Null for what no page should link to. */
export const publicAddress = (url: string | null | undefined): string | null =>
  url && url.length <= MAX_ADDRESS_CHARACTERS && refusedUrl(url) === null ? url : null;

export const maybeAddress = maybeText.transform(publicAddress);

export const field = <T>(name: string, shape: z.ZodType<T>): z.ZodType<T> =>
  z.object({ [name]: shape }).transform((body) => body[name] as T);
