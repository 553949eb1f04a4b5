import type * as z from "zod";
import { now } from "../../core/clock.ts";
import { randomHex } from "../../core/ids.ts";
import { readJson } from "../kit/input.ts";
import { Refusal } from "../kit/refusal.ts";
import type { Call } from "../kit/simulator.ts";

export const refusal = (
  status: number,
  code: string,
  message: string,
  serviceErrorCode?: number,
): Refusal =>
  new Refusal(status, { status, code, message, serviceErrorCode }, { "x-li-uuid": randomHex(16) });

export const invalidValue = (message: string) => refusal(400, "INVALID_VALUE_FOR_FIELD", message);

export const accessDenied = (message: string) => refusal(403, "ACCESS_DENIED", message, 100);

/** The oldest that LinkedIn served when the simulator was written. */
const OLDEST_VERSION = "202511";

export function requireVersion({ req }: Call): void {
  const version = req.header("linkedin-version");
  if (!version) throw refusal(400, "VERSION_MISSING", "A version must be present.");
  // A sandbox clock in the past makes no version unavailable.
  const newest = new Date(Math.max(now().getTime(), Date.now())).toISOString();
  const isServed =
    /^\d{6}$/.test(version) &&
    version >= OLDEST_VERSION &&
    version <= newest.slice(0, 7).replace("-", "");
  if (!isServed) {
    const message = `Requested version ${version} is not active`;
    throw refusal(426, "NONEXISTENT_VERSION", message);
  }
  if (req.header("x-restli-protocol-version") !== "2.0.0") {
    throw invalidValue("The header X-Restli-Protocol-Version must be 2.0.0");
  }
}

const valueAt = (body: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (value instanceof Object ? Reflect.get(value, key) : undefined),
    body,
  );

function invalidField(issue: z.core.$ZodIssue, body: unknown): Refusal {
  const field = issue.path.join("/");
  if (valueAt(body, issue.path) === undefined) {
    return refusal(400, "MISSING_FIELD", `/${field} :: field is required`);
  }
  if (issue.code === "unrecognized_keys") {
    const path = [field, ...issue.keys].filter(Boolean).join("/");
    return invalidValue(`/${path} :: unrecognized field`);
  }
  return invalidValue(`/${field} :: ${issue.message}`);
}

export const readInput = <T extends z.ZodType>(call: Call, shape: T): Promise<z.output<T>> =>
  readJson(call, shape, {
    maxBytes: 200_000,
    wrongType: () =>
      refusal(415, "UNSUPPORTED_MEDIA_TYPE", "The Content-Type must be application/json"),
    notJson: () => invalidValue("The request body is not valid JSON"),
    invalid: invalidField,
  });

export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidValue("The address is badly encoded");
  }
}

/** Undecoded, because LinkedIn wants URNs encoded completely. */
export function encodedParam({ req }: Call, name: string): string {
  const { search } = new URL(req.url);
  const pair = search
    .slice(1)
    .split("&")
    .find((pair) => pair.startsWith(`${name}=`));
  const raw = pair?.slice(name.length + 1) ?? "";
  if (raw.includes(":")) throw invalidValue(`The parameter ${name} is not encoded`);
  return decode(raw);
}
