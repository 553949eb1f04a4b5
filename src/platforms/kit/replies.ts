import type * as z from "zod";
import { ok, type Result, refuse } from "../../core/result.ts";
import type { Refusal } from "./refusals.ts";

/** Null without a body, or for one beyond `maxBytes`. */
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

function isAtMost(headers: Headers, bytes: number): boolean {
  const length = headers.get("content-length") ?? "";
  return /^\d{1,9}$/.test(length) && Number(length) <= bytes && !headers.has("content-encoding");
}

export function parseJson(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const MAX_MESSAGE_CHARACTERS = 500;

const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;
/** These change text direction. Source: Unicode, UAX #9, 2. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Untrusted text on one line, without characters that change text direction. */
export const oneLine = (text: string, maxCharacters: number): string =>
  text
    .slice(0, 2 * maxCharacters)
    .replace(CONTROLS, " ")
    .replace(DIRECTIONS, "")
    .trim()
    .slice(0, maxCharacters)
    .toWellFormed();

export const capped = (words: string): string => oneLine(words, MAX_MESSAGE_CHARACTERS);

export function messageOf(
  platform: string,
  { ok: isOk, status }: Response,
  words: string | null | undefined,
): string {
  const rest = isOk ? " with a body that cannot be read" : "";
  return capped(words?.trim() || `${platform} answered HTTP ${status}${rest}.`);
}

export function readRetryAfter({ headers }: Response): number | null {
  const text = headers.get("retry-after") ?? "";
  return /^\d{1,7}$/.test(text) ? Number(text) : null;
}

/** One day. No platform's rate limit lasts longer. */
const MAX_WAIT_SECONDS = 86_400;

export const toWait = (seconds: number): number =>
  Math.min(Math.max(Math.ceil(seconds), 0), MAX_WAIT_SECONDS);

/** @param maxBytes longer replies are unreadable */
export function replyReader<R extends Refusal>(
  maxBytes: number,
  toRefusal: (reply: Response, body: unknown) => R,
  parse: (text: string | null) => unknown = parseJson,
) {
  const readBody = async (reply: Response): Promise<unknown> =>
    parse(await readText(reply, maxBytes));

  async function readReply<T>(reply: Response, shape: z.ZodType<T>): Promise<Result<T, R>> {
    const body = await readBody(reply);
    const parsed = reply.ok ? shape.safeParse(body) : undefined;
    return parsed?.success ? ok(parsed.data) : refuse(toRefusal(reply, body));
  }

  const readerOf =
    <T>(shape: z.ZodType<T>) =>
    (reply: Response): Promise<Result<T, R>> =>
      readReply(reply, shape);

  async function readDoneReply(reply: Response): Promise<Result<null, R>> {
    if (!reply.ok) return refuse(toRefusal(reply, await readBody(reply)));
    await reply.body?.cancel();
    return ok(null);
  }

  return { readBody, readReply, readerOf, readDoneReply };
}
