import type * as z from "zod";
import { Logins } from "../kit/logins.ts";
import { readBody, type SimulatedCall } from "../kit/simulator.ts";
import type { SandboxStore } from "../kit/store.ts";

/** What an endpoint of the simulated API is given. */
export interface PinterestCall extends SimulatedCall {
  store: SandboxStore;
  logins: Logins;
}

export const toCall = (call: SimulatedCall, store: SandboxStore): PinterestCall => ({
  ...call,
  store,
  logins: new Logins(store.sql, "pinterest", call.origin),
});

/** A refusal in Pinterest's own form. */
export class PinterestError extends Error {
  readonly status: number;
  readonly code: number;
  readonly headers: Record<string, string>;

  constructor(status: number, code: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }

  toResponse(): Response {
    const body = { code: this.code, message: this.message };
    return Response.json(body, { status: this.status, headers: this.headers });
  }
}

export const invalid = (message: string) =>
  new PinterestError(400, 1, `Invalid parameters: ${message}`);

export const unauthenticated = () => new PinterestError(401, 2, "Authentication failed.");

/**
 * The name of the account whose token the call carries, and the token.
 *
 * @throws PinterestError 401
 */
export function authenticate({ request, logins }: PinterestCall): { name: string; token: string } {
  const token = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
  const name = token ? logins.nameOf(token, "access") : null;
  if (!token || name === null || name === "expired") throw unauthenticated();
  return { name, token };
}

/** Of one image of 20 MB as text, and what is around it; Pinterest names no limit. */
const MAX_JSON_BYTES = 28_000_000;

/**
 * The JSON body in its shape.
 *
 * @throws PinterestError 400
 */
export async function readInput<T extends z.ZodType>(
  call: PinterestCall,
  schema: T,
): Promise<z.output<T>> {
  const type = call.request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw invalid(`Content-Type must be application/json, not "${type}"`);
  }
  const bytes = await readBody(call.request, MAX_JSON_BYTES);
  if (bytes === null) throw new PinterestError(413, 413, "Request entity too large.");
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    throw invalid("the body is not valid JSON");
  }
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalid(`${issue?.path.join(".") || "body"}: ${issue?.message ?? ""}`);
}

const DEFAULT_PAGE = 25;
const MAX_PAGE = 250;

/**
 * One page of a list, as the query asks for it, with the cursor of the next.
 *
 * @throws PinterestError 400
 */
export function pageOf<T>({ url }: PinterestCall, known: readonly string[], all: T[]): Response {
  const unknown = [...url.searchParams.keys()].find(
    (name) => !["page_size", "bookmark", ...known].includes(name),
  );
  if (unknown) throw invalid(`'${unknown}' is not a known parameter`);
  const size = Number(url.searchParams.get("page_size") ?? DEFAULT_PAGE);
  if (!Number.isInteger(size) || size < 1 || size > MAX_PAGE) {
    throw invalid(`'${url.searchParams.get("page_size")}' is not from 1 to ${MAX_PAGE}`);
  }
  const bookmark = url.searchParams.get("bookmark");
  const offset =
    bookmark === null ? 0 : Number(/^after-(\d{1,9})$/.exec(bookmark)?.[1] ?? Number.NaN);
  if (Number.isNaN(offset)) throw invalid("the bookmark is not one of this list");
  const end = offset + size;
  return Response.json({
    items: all.slice(offset, end),
    bookmark: end < all.length ? `after-${end}` : null,
  });
}
