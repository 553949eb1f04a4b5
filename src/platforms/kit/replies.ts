import type * as z from "zod";
import { ok, type Result, refuse } from "../../core/result.ts";
import type { Refusal } from "./refusals.ts";

/**
 * The body of a platform's reply as text, never more than `maxBytes` of it: a reply is a stranger's.
 * Null for no body, and for a longer one.
 */
export async function readText(reply: Response, maxBytes: number): Promise<string | null> {
  if (!reply.body) return null;
  if (isAtMost(reply.headers, maxBytes)) return reply.text();
  const reader: ReadableStreamDefaultReader<Uint8Array> = reply.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let sizeBytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    sizeBytes += value.length;
    if (sizeBytes > maxBytes) {
      await reader.cancel();
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** True for a body that its headers declare to be no longer: then it is read in one turn of the runtime. */
function isAtMost(headers: Headers, bytes: number): boolean {
  const length = headers.get("content-length") ?? "";
  return /^\d{1,9}$/.test(length) && Number(length) <= bytes && !headers.has("content-encoding");
}

/** Undefined for what is not JSON. */
export function parseJson(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Characters of a platform's words that are kept. */
export const MAX_MESSAGE_CHARACTERS = 500;

/** Control characters, line ends among them, and those that stand for a line's end. */
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;
/** Characters that turn the direction of the text around them. Source: Unicode, UAX #9, 2. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A stranger's text on one line, without characters that change how what follows is shown. */
export const oneLine = (text: string, maxCharacters: number): string =>
  text
    // The text may be long, so only as much is read as can be of use.
    .slice(0, 2 * maxCharacters)
    .replace(CONTROLS, " ")
    .replace(DIRECTIONS, "")
    .trim()
    .slice(0, maxCharacters)
    .toWellFormed();

/** The first 500 characters of a platform's words, as plain text. */
export const capped = (words: string): string => oneLine(words, MAX_MESSAGE_CHARACTERS);

/**
 * The message of a refusal: the platform's own words, else a sentence with the status.
 *
 * @param platform its name as people know it
 */
export function messageOf(
  platform: string,
  { ok: isOk, status }: Response,
  words: string | null | undefined,
): string {
  const rest = isOk ? " with a body that cannot be read" : "";
  return capped(words?.trim() || `${platform} answered HTTP ${status}${rest}.`);
}

/** The seconds of `Retry-After`; null where it is silent, or names a date. */
export function readRetryAfter({ headers }: Response): number | null {
  const text = headers.get("retry-after") ?? "";
  return /^\d{1,7}$/.test(text) ? Number(text) : null;
}

/** A day, in seconds: the longest window of the platforms' limits, so no wait can be longer. */
const MAX_WAIT_SECONDS = 86_400;

/** A wait until calls are taken again, as callers are told it: in whole seconds, at most a day. */
export const toWait = (seconds: number): number =>
  Math.min(Math.max(Math.ceil(seconds), 0), MAX_WAIT_SECONDS);

/**
 * Reads the replies of one platform.
 *
 * @param maxBytes longer replies were not meant for us
 * @param toRefusal makes a refusal of a reply and its body, undefined where that is no JSON
 */
export function replyReader<R extends Refusal>(
  maxBytes: number,
  toRefusal: (reply: Response, body: unknown) => R,
  parse: (text: string | null) => unknown = parseJson,
) {
  /** The body as JSON; undefined when it is too long or anything else. */
  const readBody = async (reply: Response): Promise<unknown> =>
    parse(await readText(reply, maxBytes));

  /** The body of a 2xx in its shape, else the refusal. */
  async function readReply<T>(reply: Response, shape: z.ZodType<T>): Promise<Result<T, R>> {
    const body = await readBody(reply);
    const parsed = reply.ok ? shape.safeParse(body) : undefined;
    return parsed?.success ? ok(parsed.data) : refuse(toRefusal(reply, body));
  }

  /** Makes the reader of one call's replies. */
  const readerOf =
    <T>(shape: z.ZodType<T>) =>
    (reply: Response): Promise<Result<T, R>> =>
      readReply(reply, shape);

  /** For a call whose 2xx says everything by itself. */
  async function readDoneReply(reply: Response): Promise<Result<null, R>> {
    if (!reply.ok) return refuse(toRefusal(reply, await readBody(reply)));
    await reply.body?.cancel();
    return ok(null);
  }

  return { readBody, readReply, readerOf, readDoneReply };
}
