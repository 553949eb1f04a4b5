import type * as z from "zod";
import { now } from "../../core/clock.ts";
import { randomHex } from "../../core/ids.ts";
import { readBody, type SimulatedCall } from "../kit/simulator.ts";
import type { SandboxStore } from "../kit/store.ts";

/** What an endpoint of the simulated API is given. */
export interface LinkedInCall extends SimulatedCall {
  store: SandboxStore;
}

/** A refusal in LinkedIn's own form. */
export class LinkedInError extends Error {
  readonly status: number;
  readonly code: string;
  readonly serviceErrorCode: number | undefined;

  constructor(status: number, code: string, message: string, serviceErrorCode?: number) {
    super(message);
    this.status = status;
    this.code = code;
    this.serviceErrorCode = serviceErrorCode;
  }

  toResponse(): Response {
    const { status, code, message, serviceErrorCode } = this;
    const body = { status, code, message, serviceErrorCode };
    return Response.json(body, { status, headers: { "x-li-uuid": randomHex(16) } });
  }
}

export const invalidValue = (message: string) =>
  new LinkedInError(400, "INVALID_VALUE_FOR_FIELD", message);

export const accessDenied = (message: string) =>
  new LinkedInError(403, "ACCESS_DENIED", message, 100);

/** The oldest version that is still served, of those that were known when this was written. */
const OLDEST_VERSION = "202511";

/** What every call below `/rest/` has to carry. */
export function requireVersion({ request }: LinkedInCall): void {
  const version = request.headers.get("linkedin-version");
  if (!version) throw new LinkedInError(400, "VERSION_MISSING", "A version must be present.");
  const newest = now().toISOString().slice(0, 7).replace("-", "");
  const isServed = /^\d{6}$/.test(version) && version >= OLDEST_VERSION && version <= newest;
  if (!isServed) {
    const message = `Requested version ${version} is not active`;
    throw new LinkedInError(426, "NONEXISTENT_VERSION", message);
  }
  if (request.headers.get("x-restli-protocol-version") !== "2.0.0") {
    throw invalidValue("The header X-Restli-Protocol-Version must be 2.0.0");
  }
}

/** Bodies are a few KB: a text of 3,000 characters is the longest part. */
const MAX_JSON_BYTES = 200_000;

const valueAt = (body: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (value instanceof Object ? Reflect.get(value, key) : undefined),
    body,
  );

/** The JSON body in its shape, which has no other fields. */
export async function readInput<T extends z.ZodType>(
  { request }: LinkedInCall,
  schema: T,
): Promise<z.output<T>> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? "")) {
    const message = "The Content-Type must be application/json";
    throw new LinkedInError(415, "UNSUPPORTED_MEDIA_TYPE", message);
  }
  const bytes = await readBody(request, MAX_JSON_BYTES);
  let body: unknown;
  try {
    body = JSON.parse(
      new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes ?? new Uint8Array()),
    );
  } catch {
    throw invalidValue("The request body is not valid JSON");
  }
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join("/") ?? "";
  if (issue && valueAt(body, issue.path) === undefined)
    throw new LinkedInError(400, "MISSING_FIELD", `/${field} :: field is required`);
  if (issue?.code === "unrecognized_keys") {
    throw invalidValue(
      `/${[field, ...issue.keys].filter(Boolean).join("/")} :: unrecognized field`,
    );
  }
  throw invalidValue(`/${field} :: ${issue?.message ?? "invalid"}`);
}

/** A parameter as it was written in the address: URNs have to be encoded whole. */
export function encodedParam({ url }: LinkedInCall, name: string): string {
  const found = url.search
    .slice(1)
    .split("&")
    .find((pair) => pair.startsWith(`${name}=`));
  const raw = found?.slice(name.length + 1) ?? "";
  if (raw.includes(":")) throw invalidValue(`The parameter ${name} is not encoded`);
  return decodeURIComponent(raw);
}

const MAX_FORM_BYTES = 20_000;

/** A form, or null for anything else. */
export async function readForm({ request }: LinkedInCall): Promise<URLSearchParams | null> {
  const type = request.headers.get("content-type") ?? "";
  if (!type.startsWith("application/x-www-form-urlencoded")) return null;
  const bytes = await readBody(request, MAX_FORM_BYTES);
  return bytes && new URLSearchParams(new TextDecoder().decode(bytes));
}

export function digits(count: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(count));
  return Array.from(bytes, (byte, index) => (index === 0 ? 7 : byte % 10)).join("");
}
