import { readMultipart } from "../kit/input.ts";
import {
  type GraphCall,
  graphError,
  invalidParameter,
  pickAsked,
  readFields,
  topFields,
} from "../meta/graph.ts";

/** Bytes of the largest part of a video that is asked for. */
export const CHUNK_BYTES = 8_388_608;
const MAX_FORM_BYTES = CHUNK_BYTES + 100_000;

/** The body's fields: those of a multipart body too, whose one file is kept as the chunk. */
export async function readFacebookFields(call: GraphCall): Promise<[string, string][]> {
  const type = call.req.header("content-type") ?? "";
  if (!type.startsWith("multipart/form-data")) return readFields(call);
  const isTold = call.req.header("content-length") !== undefined;
  const form = isTold ? await readMultipart(call, MAX_FORM_BYTES) : "too_large";
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

/** @throws Refusal for a parameter that the call does not have */
export function requireKnown({ var: { params } }: GraphCall, known: readonly string[]): void {
  for (const name of params.keys()) {
    // The items of a list may stand one by one.
    if (known.includes(name.replace(/\[\d+\]$/, "[]"))) continue;
    throw invalidParameter(`Param ${name} is not allowed here`);
  }
}

/** @throws Refusal for a parameter that is missing */
export function requireParam({ var: { params } }: GraphCall, name: string): string {
  const value = params.get(name);
  if (value) return value;
  throw invalidParameter(`The parameter ${name} is required.`);
}

/** The fields of an object that a read asks for; nested fields come whole. */
export const pick = (call: GraphCall, object: Record<string, unknown>, defaults: string[]) =>
  pickAsked(call, object, defaults, topFields);
