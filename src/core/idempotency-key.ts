import { AppError } from "./errors.ts";

/** Longest Idempotency-Key that is taken. Spec is silent. */
export const MAX_KEY_CHARACTERS = 255;

/** A call that names itself, so that its repetition is recognised. */
export interface NamedCall {
  /** Method and path, such as `POST /upload`. */
  route: string;
  key: string;
}

/**
 * Reads the name of a call from its Idempotency-Key, in quotes or bare; null without one.
 *
 * @throws AppError 400
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 */
export function readCallName(header: string | undefined, route: string): NamedCall | null {
  if (header === undefined) return null;
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (key.length >= 1 && key.length <= MAX_KEY_CHARACTERS) return { route, key };
  throw new AppError(null, `Idempotency-Key: must have 1 to ${MAX_KEY_CHARACTERS} characters.`);
}
