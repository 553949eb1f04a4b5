import type * as z from "zod";
import { randomHex } from "../../core/ids.ts";
import { readBody } from "../kit/input.ts";
import type { SimulatedCall } from "../kit/simulator.ts";
import type { SandboxStore } from "../kit/store.ts";

/** What an endpoint of the simulated API is given. */
export interface TikTokCall extends SimulatedCall {
  store: SandboxStore;
}

const logId = (): string => randomHex(16);

/** A refusal in TikTok's own form. */
export class TikTokError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Record<string, string>;

  constructor(status: number, code: string, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }

  toResponse(): Response {
    return Response.json(
      { data: {}, error: { code: this.code, message: this.message, log_id: logId() } },
      { status: this.status, headers: this.headers },
    );
  }
}

export const invalidParams = (message: string) => new TikTokError(400, "invalid_params", message);

export const answer = (data: object): Response =>
  Response.json({ data, error: { code: "ok", message: "", log_id: logId() } });

/** Bodies are a few KB; 35 photo addresses are the longest. */
const MAX_JSON_BYTES = 100_000;

/** The JSON body in its shape; an empty one is `{}`. */
export async function readInput<T extends z.ZodType>(
  call: TikTokCall,
  schema: T,
): Promise<z.output<T>> {
  const type = call.request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw invalidParams(`The Content-Type must be application/json, not "${type}"`);
  }
  const bytes = await readBody(call.request, MAX_JSON_BYTES);
  let body: unknown;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(
      bytes ?? new Uint8Array(),
    );
    body = text === "" ? {} : JSON.parse(text);
  } catch {
    throw invalidParams("The request body is not valid JSON");
  }
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalidParams(`Invalid ${issue?.path.join(".") || "body"}: ${issue?.message ?? ""}`);
}
