import type * as z from "zod";
import { readBody } from "../kit/input.ts";
import type { SimulatedCall } from "../kit/simulator.ts";
import type { SandboxStore } from "../kit/store.ts";

/** What a method of the simulated server is given. */
export interface XrpcCall extends SimulatedCall {
  store: SandboxStore;
}

/** A refusal in the platform's own form: `{"error", "message"}`. */
export class XrpcError extends Error {
  readonly status: number;
  readonly error: string;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    error: string,
    message: string,
    headers: Record<string, string> = {},
  ) {
    super(message);
    this.status = status;
    this.error = error;
    this.headers = headers;
  }

  toResponse(): Response {
    return Response.json(
      { error: this.error, message: this.message },
      { status: this.status, headers: this.headers },
    );
  }
}

export const invalidRequest = (message: string, error = "InvalidRequest") =>
  new XrpcError(400, error, message);

/** The largest JSON body that the reference server reads: about 1 MB of record. */
const MAX_JSON_BYTES = 1_000_000;

export const payloadTooLarge = () =>
  new XrpcError(413, "PayloadTooLarge", "request entity too large");

const hasBody = (request: Request): boolean =>
  Number(request.headers.get("content-length") ?? 0) > 0 ||
  request.headers.has("transfer-encoding");

/** The type without its parameters. Refuses a call that brings no body or does not say what it is. */
export function requireBody(request: Request): string {
  if (!hasBody(request)) {
    throw invalidRequest("A request body is expected but none was provided");
  }
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (!type) throw invalidRequest("Request encoding (Content-Type) required but not provided");
  return type;
}

export function requireNoBody(request: Request): void {
  if (hasBody(request)) {
    throw invalidRequest("A request body was provided when none was expected");
  }
}

/** The JSON body, parsed by the method's own schema. */
export async function readInput<T extends z.ZodType>(
  call: XrpcCall,
  schema: T,
): Promise<z.output<T>> {
  const type = requireBody(call.request);
  if (type !== "application/json") {
    throw invalidRequest(`Wrong request encoding (Content-Type): ${type}`);
  }
  const bytes = await readBody(call.request, MAX_JSON_BYTES);
  if (!bytes) throw payloadTooLarge();
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    throw invalidRequest("The request body is not valid JSON");
  }
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalidRequest(
    `Input at $${issue ? issue.path.map((part) => `.${String(part)}`).join("") : ""} is not valid: ${issue?.message ?? ""}`,
  );
}

/** A query parameter that the method cannot do without. */
export function requireParam(call: XrpcCall, name: string): string {
  const value = call.url.searchParams.get(name);
  if (!value) throw invalidRequest(`Error: Params must have the property "${name}"`);
  return value;
}
