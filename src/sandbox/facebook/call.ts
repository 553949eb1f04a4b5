import { readMultipart } from "../kit/input.ts";
import {
  type GraphCall,
  graphError,
  invalidParameter,
  pickRequested,
  readFields,
  topFields,
} from "../meta/graph.ts";

export const CHUNK_BYTES = 8_388_608;
const MAX_FORM_BYTES = CHUNK_BYTES + 100_000;

/** A multipart body's file becomes `call.var.chunk`. */
export async function readFacebookFields(call: GraphCall): Promise<[string, string][]> {
  const type = call.req.header("content-type") ?? "";
  if (!type.startsWith("multipart/form-data")) return readFields(call);
  const hasLength = call.req.header("content-length") !== undefined;
  const form = hasLength ? await readMultipart(call, MAX_FORM_BYTES) : "too_large";
  if (form === "too_large") {
    await call.req.raw.body?.cancel();
    throw graphError(1, "The request is too large, or does not say how large it is.", {
      status: 413,
    });
  }
  if (form === "malformed") throw invalidParameter("The body is not multipart/form-data.");
  const fields: [string, string][] = [];
  for (const [name, value] of form) {
    if (typeof value === "string") fields.push([name, value]);
    else if (name === "video_file_chunk") call.set("chunk", value);
    else throw invalidParameter(`Param ${name} is no file`);
  }
  return fields;
}

export function requireKnown({ var: { params } }: GraphCall, names: readonly string[]): void {
  for (const name of params.keys()) {
    // List items may be sent as `name[0]`, `name[1]`.
    if (names.includes(name.replace(/\[\d+\]$/, "[]"))) continue;
    throw invalidParameter(`Param ${name} is not allowed here`);
  }
}

export function requireParam({ var: { params } }: GraphCall, name: string): string {
  const value = params.get(name);
  if (value) return value;
  throw invalidParameter(`The parameter ${name} is required.`);
}

export const pick = (call: GraphCall, object: Record<string, unknown>, defaults: string[]) =>
  pickRequested(call, object, defaults, topFields);
