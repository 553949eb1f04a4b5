import * as z from "zod";
import { Refusal } from "../kit/refusal.ts";
import type { SteeredRefusals } from "../kit/steered.ts";

/** @param more `parameters` of the refusal */
export const refusal = (status: number, description: string, more: object = {}): Refusal =>
  new Refusal(status, { ok: false, error_code: status, description, ...more });

export const badRequest = (words: string, more?: object): Refusal =>
  refusal(400, `Bad Request: ${words}`, more);
export const forbidden = (words: string): Refusal => refusal(403, `Forbidden: ${words}`);
export const unauthorized = (): Refusal => refusal(401, "Unauthorized");
export const tooLarge = (): Refusal => refusal(413, "Request Entity Too Large");

export const ok = (result: unknown): Response => Response.json({ ok: true, result });

const RETRY_SECONDS = 900;

export const REFUSALS: SteeredRefusals = {
  expiredToken: unauthorized,
  serverError: () => refusal(500, "Internal Server Error: restart"),
  failures: {
    rate_limited: () =>
      refusal(429, `Too Many Requests: retry after ${RETRY_SECONDS}`, {
        parameters: { retry_after: RETRY_SECONDS },
      }),
    account_disconnected: () => forbidden("bot was kicked from the channel chat"),
    media_invalid: () => badRequest("IMAGE_PROCESS_FAILED"),
    unknown: () => badRequest("TOPIC_CLOSED"),
  },
};

/** Forms send all values as text. */
export const integer = z.union([
  z.int(),
  z
    .string()
    .regex(/^-?\d{1,15}$/)
    .transform(Number),
]);

export const chatId = z.union([z.string(), z.int()]).transform(String);

export const flag = z
  .union([z.boolean(), z.string().transform((text) => /^(?:true|yes|t|y|1)$/i.test(text))])
  .optional();

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const inJson = <T extends z.ZodType>(shape: T) =>
  z.preprocess((value) => (typeof value === "string" ? parseJson(value) : value), shape);

/** @throws Refusal for the first parameter that cannot be read */
export function readInput<T extends z.ZodType>(shape: T, fields: object): z.output<T> {
  const { success, data, error } = shape.safeParse(fields);
  if (success) return data;
  const [name = "parameters"] = error.issues[0]?.path ?? [];
  throw badRequest(`can't parse ${String(name)}`);
}
