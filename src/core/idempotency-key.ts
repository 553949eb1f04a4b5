import { AppError } from "./errors.ts";

/** Spec is silent on the length. */
export const MAX_KEY_CHARACTERS = 255;

export interface NamedCall {
  /** Method and path, such as `POST /upload`. */
  route: string;
  key: string;
}

/**
 * Accepts the key quoted or bare.
 *
 * @throws AppError 400 for an empty or long key
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 */
export function readCallName(header: string | undefined, route: string): NamedCall | null {
  if (header === undefined) return null;
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (key.length >= 1 && key.length <= MAX_KEY_CHARACTERS) return { route, key };
  throw new AppError(null, `Idempotency-Key: must have 1 to ${MAX_KEY_CHARACTERS} characters.`);
}
