import type * as z from "zod";
import { readJson } from "../kit/input.ts";
import { Refusal } from "../kit/refusal.ts";
import type { Call } from "../kit/simulator.ts";

export const xrpcError = (
  status: number,
  error: string,
  message: string,
  headers?: Record<string, string>,
): Refusal => new Refusal(status, { error, message }, headers);

export const invalidRequest = (message: string, error = "InvalidRequest") =>
  xrpcError(400, error, message);

export const payloadTooLarge = () => xrpcError(413, "PayloadTooLarge", "request entity too large");

const hasBody = ({ req }: Call): boolean =>
  Number(req.header("content-length") ?? 0) > 0 || req.header("transfer-encoding") !== undefined;

const toMime = (contentType: string): string | undefined =>
  contentType.split(";")[0]?.trim().toLowerCase();

export function requireBody(call: Call): string {
  if (!hasBody(call)) throw invalidRequest("A request body is expected but none was provided");
  const type = toMime(call.req.header("content-type") ?? "");
  if (!type) throw invalidRequest("Request encoding (Content-Type) required but not provided");
  return type;
}

export function requireNoBody(call: Call): void {
  if (hasBody(call)) throw invalidRequest("A request body was provided when none was expected");
}

const pathOf = ({ path }: z.core.$ZodIssue): string =>
  path.map((part) => `.${String(part)}`).join("");

export async function readInput<T extends z.ZodType>(call: Call, shape: T): Promise<z.output<T>> {
  requireBody(call);
  return readJson(call, shape, {
    // Limit of Bluesky's reference server.
    maxBytes: 1_000_000,
    wrongType: (type) => invalidRequest(`Wrong request encoding (Content-Type): ${toMime(type)}`),
    tooLarge: payloadTooLarge,
    notJson: () => invalidRequest("The request body is not valid JSON"),
    invalid: (issue) => invalidRequest(`Input at $${pathOf(issue)} is not valid: ${issue.message}`),
  });
}

export function requireParam(call: Call, name: string): string {
  const value = call.req.query(name);
  if (!value) throw invalidRequest(`Error: Params must have the property "${name}"`);
  return value;
}
