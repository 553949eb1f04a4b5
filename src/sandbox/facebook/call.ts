import { randomHex } from "../../core/ids.ts";
import type { SimulatedCall } from "../kit/simulator.ts";
import type { SandboxStore } from "../kit/store.ts";
import {
  type GraphCall,
  GraphError,
  invalidParameter,
  pickFields,
  readGraphCall,
  takeProof,
} from "../meta/graph.ts";

export interface FacebookCall extends GraphCall {
  /** The part of a video that a form brings along; null for every other call. */
  chunk: Blob | null;
}

/** Bytes of the largest part of a video that is asked for. */
export const CHUNK_BYTES = 8_388_608;
const MAX_FORM_BYTES = CHUNK_BYTES + 100_000;

async function readMultipart(call: SimulatedCall, store: SandboxStore): Promise<FacebookCall> {
  if (Number(call.request.headers.get("content-length") ?? Infinity) > MAX_FORM_BYTES) {
    await call.request.body?.cancel();
    throw new GraphError(1, "The request is too large, or does not say how large it is.", {
      status: 413,
    });
  }
  const form = await call.request.formData().catch(() => {
    throw invalidParameter("The body is not multipart/form-data.");
  });
  const params = new Map(call.url.searchParams);
  let chunk: Blob | null = null;
  for (const [name, value] of form) {
    if (typeof value === "string") params.set(name, value);
    else if (name === "video_file_chunk") chunk = value;
    else throw invalidParameter(`Param ${name} is no file`);
  }
  const bearer = /^Bearer (.+)$/.exec(call.request.headers.get("authorization") ?? "")?.[1];
  const token = bearer ?? params.get("access_token") ?? null;
  params.delete("access_token");
  takeProof(params);
  return { ...call, store, params, token, chunk };
}

/** @throws GraphError for a body that cannot be read */
export async function readFacebookCall(
  call: SimulatedCall,
  store: SandboxStore,
): Promise<FacebookCall> {
  const type = call.request.headers.get("content-type") ?? "";
  if (type.startsWith("multipart/form-data")) return readMultipart(call, store);
  return { ...(await readGraphCall(call, store)), chunk: null };
}

/** @throws GraphError for a parameter that the call does not have */
export function requireKnown({ params }: GraphCall, known: readonly string[]): void {
  for (const name of params.keys()) {
    // The items of a list may stand one by one.
    if (known.includes(name.replace(/\[\d+\]$/, "[]"))) continue;
    throw invalidParameter(`Param ${name} is not allowed here`);
  }
}

/** @throws GraphError for a parameter that is missing */
export function requireParam({ params }: GraphCall, name: string): string {
  const value = params.get(name);
  if (value) return value;
  throw invalidParameter(`The parameter ${name} is required.`);
}

export function readFlag({ params }: GraphCall, name: string, otherwise: boolean): boolean {
  const value = params.get(name) ?? String(otherwise);
  if (value === "true" || value === "false") return value === "true";
  throw invalidParameter(`Param ${name} must be a boolean`);
}

/** A field list's names at its top: `a,b.limit(0){c,d}` is `a` and `b`. */
export function topFields(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  let name = "";
  for (const character of `${text},`) {
    if (character === "," && depth === 0) {
      if (name !== "") names.push(/^\w*/.exec(name)?.[0] || name);
      name = "";
      continue;
    }
    if (character === "{" || character === "(") depth++;
    if (character === "}" || character === ")") depth--;
    name += character;
  }
  if (depth !== 0 || name !== "") throw invalidParameter("Syntax error in the field list");
  return names;
}

/** What a read asks of an object; what is within a field comes whole. */
export function pick(call: GraphCall, object: Record<string, unknown>, defaults: string[]) {
  const asked = call.params.get("fields");
  if (!asked) return pickFields(call, object, defaults);
  const params = new Map([...call.params, ["fields", topFields(asked).join(",")] as const]);
  return pickFields({ ...call, params }, object, defaults);
}

/** That many digits, never beginning with a zero. */
export const newDigits = (count: number): string =>
  `1${String(BigInt(`0x${randomHex(12)}`))
    .padStart(24, "0")
    .slice(-(count - 1))}`;

/** Without milliseconds, and with an offset that has no colon. */
export const toTimestamp = (at: number): string =>
  new Date(at).toISOString().replace(/\.\d+Z$/, "+0000");

/** Over TLS only; a local run of this service is reached as it is. */
export function isReachable(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || hostname === "localhost" || hostname === "127.0.0.1";
}
