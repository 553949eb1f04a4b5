import type * as z from "zod";
import { now } from "../../core/clock.ts";
import { SECOND } from "../../core/time.ts";
import { readForm, readJson } from "../kit/input.ts";
import { Refusal } from "../kit/refusal.ts";
import type { Call } from "../kit/simulator.ts";
import type { SteeredRefusals } from "../kit/steered.ts";

export const refusal = (status: number, error: string, headers?: Record<string, string>): Refusal =>
  new Refusal(status, { error }, headers);

export const unauthorized = () => refusal(401, "The access token is invalid");
export const notFound = () => refusal(404, "Record not found");
export const invalid = (message: string) => refusal(422, message);

/** The server that was called. */
export const serverOf = ({ req }: Pick<Call, "req">): string => new URL(req.url).origin;

/** JSON or a form, as Rails takes both. */
export async function readFields<T extends z.ZodType>(call: Call, shape: T): Promise<z.output<T>> {
  const unreadable = () => refusal(400, "There was a problem in the JSON you submitted.");
  const form = await readForm(call);
  if (form) {
    const read = shape.safeParse(Object.fromEntries(form));
    if (read.success) return read.data;
    throw invalid(`Validation failed: ${read.error.issues[0]?.message}`);
  }
  return readJson(call, shape, {
    maxBytes: 500_000,
    wrongType: unreadable,
    notJson: unreadable,
    invalid: ({ path, message }) => invalid(`Validation failed: ${path.join(".")} ${message}`),
  });
}

/** Posts of an account are counted for three hours. Source: mastodon/mastodon, `rate_limiter.rb`. */
const WINDOW_SECONDS = 10_800;

export function rateLimitHeaders(remaining: number): Record<string, string> {
  const resetAt = Math.ceil(now().getTime() / SECOND) + WINDOW_SECONDS;
  return {
    "x-ratelimit-limit": "300",
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": new Date(resetAt * SECOND).toISOString().replace("Z", "000Z"),
  };
}

export const REFUSALS: SteeredRefusals = {
  expiredToken: () => refusal(401, "The access token was revoked"),
  serverError: () =>
    refusal(503, "There was a temporary problem serving your request, please try again"),
  failures: {
    rate_limited: () => refusal(429, "Too many requests", rateLimitHeaders(0)),
    account_disconnected: () => refusal(403, "This action is outside the authorized scopes"),
    media_invalid: () =>
      invalid("Validation failed: File content type is invalid, File is invalid"),
    unknown: (message) => invalid(`Validation failed: ${message}`),
  },
};
