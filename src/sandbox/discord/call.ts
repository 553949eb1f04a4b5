import { Refusal } from "../kit/refusal.ts";
import type { Call } from "../kit/simulator.ts";

export const refusal = (
  status: number,
  code: number,
  message: string,
  more: { body?: object; headers?: Record<string, string> } = {},
): Refusal => new Refusal(status, { message, code, ...more.body }, more.headers);

/** Source: Discord, "Reference", error messages. */
export function invalidForm(field: string, code: string, message: string): Refusal {
  const errors = field
    .split(".")
    .reduceRight<object>((inner, name) => ({ [name]: inner }), { _errors: [{ code, message }] });
  return refusal(400, 50035, "Invalid Form Body", { body: { errors } });
}

export const tooLong = (field: string, max: number): Refusal =>
  invalidForm(field, "BASE_TYPE_MAX_LENGTH", `Must be ${max} or fewer in length.`);

export const notFound = (): Refusal => refusal(404, 0, "404: Not Found");
export const unauthorized = (): Refusal => refusal(401, 0, "401: Unauthorized");
export const unknownChannel = (): Refusal => refusal(404, 10003, "Unknown Channel");
export const unknownGuild = (): Refusal => refusal(404, 10004, "Unknown Guild");
export const unknownMessage = (): Refusal => refusal(404, 10008, "Unknown Message");
export const unknownWebhook = (): Refusal => refusal(404, 10015, "Unknown Webhook");
export const missingAccess = (): Refusal => refusal(403, 50001, "Missing Access");
export const tooLarge = (): Refusal => refusal(413, 40005, "Request entity too large");

/** Source: Discord, "Rate Limits". */
export const rateLimited = (seconds: number): Refusal =>
  refusal(
    429,
    20028,
    "The write action you are performing on the channel has hit the write rate limit.",
    {
      body: { retry_after: seconds, global: false },
      headers: { "retry-after": String(Math.ceil(seconds)), "x-ratelimit-scope": "user" },
    },
  );

/** Source: Discord, "Reference", user agent. */
const USER_AGENT = /^DiscordBot \(https?:\/\/\S+, [^\s)]+\)/;

/** @throws Refusal 40333 for the agent of a browser, or none */
export function requireAgent({ req }: Pick<Call, "req">): void {
  if (USER_AGENT.test(req.header("user-agent") ?? "")) return;
  throw refusal(403, 40333, "internal network error");
}
