import type * as z from "zod";
import { bearerOf, readJson } from "../kit/input.ts";
import { Logins } from "../kit/logins.ts";
import { Refusal } from "../kit/refusal.ts";
import type { Call } from "../kit/simulator.ts";

export const refusal = (
  status: number,
  code: number,
  message: string,
  headers?: Record<string, string>,
): Refusal => new Refusal(status, { code, message }, headers);

export const invalid = (message: string) => refusal(400, 1, `Invalid parameters: ${message}`);

export const unauthenticated = () => refusal(401, 2, "Authentication failed.");

export const loginsOf = ({ env: { store, origin } }: Call): Logins =>
  new Logins(store.sql, "pinterest", origin);

/** @throws Refusal 401 without a valid token */
export function authenticate(call: Call): { name: string; token: string } {
  const token = bearerOf(call) ?? "";
  const name = loginsOf(call).liveNameOf(token, "access");
  if (name === null) throw unauthenticated();
  return { name, token };
}

/** @throws Refusal for an invalid or large body */
export const readInput = <T extends z.ZodType>(call: Call, shape: T): Promise<z.output<T>> =>
  readJson(call, shape, {
    // Room for one base64 image of 20 MB; Pinterest documents no limit.
    maxBytes: 28_000_000,
    wrongType: (type) => invalid(`Content-Type must be application/json, not "${type}"`),
    tooLarge: () => refusal(413, 413, "Request entity too large."),
    notJson: () => invalid("the body is not valid JSON"),
    invalid: ({ path, message }) => invalid(`${path.join(".") || "body"}: ${message}`),
  });

const DEFAULT_PAGE = 25;
const MAX_PAGE = 250;

export function pageOf<T>(call: Call, parameters: readonly string[], all: T[]): Response {
  const { page_size: pageSize = DEFAULT_PAGE, bookmark, ...others } = call.req.query();
  const unknown = Object.keys(others).find((name) => !parameters.includes(name));
  if (unknown) throw invalid(`'${unknown}' is not a known parameter`);
  const size = Number(pageSize);
  if (!Number.isInteger(size) || size < 1 || size > MAX_PAGE) {
    throw invalid(`'${pageSize}' is not from 1 to ${MAX_PAGE}`);
  }
  const offset = Number(bookmark === undefined ? 0 : /^after-(\d{1,9})$/.exec(bookmark)?.[1]);
  if (Number.isNaN(offset)) throw invalid("the bookmark is not one of this list");
  const end = offset + size;
  return Response.json({
    items: all.slice(offset, end),
    bookmark: end < all.length ? `after-${end}` : null,
  });
}
