import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import busboy from "busboy";
import { storeFile } from "../kit/files.ts";
import { readBody } from "../kit/input.ts";
import type { Call } from "../kit/simulator.ts";
import { badRequest, parseJson, tooLarge } from "./call.ts";

/** Source: Bot API server, HttpReader.h: parameters without files. */
const MAX_PARAMETER_BYTES = 1_048_576;

/** Source: Bot API, "Sending files": 50 MB. */
const MAX_FILE_BYTES = 52_428_800;

export const FILES = { platform: "telegram", owner: "uploads" } as const;

export interface SentFile {
  id: number;
  filename: string;
  mime: string;
  sha256: string;
  sizeBytes: number;
}

/** Busboy cuts a file off where it is too large. */
interface Truncatable extends Readable {
  truncated?: boolean;
}

export interface Form {
  fields: Record<string, unknown>;
  files: Map<string, SentFile>;
}

/** Stores files as they arrive, because an album does not fit into memory. */
async function readForm(call: Call): Promise<Form> {
  const fields: Record<string, unknown> = {};
  const files = new Map<string, SentFile>();
  const storing: Promise<void>[] = [];
  const store = async (name: string, file: Readable, filename: string) => {
    const bytes = Readable.toWeb(file) as unknown as ReadableStream<Uint8Array>;
    const stored = await storeFile(call.env, FILES, bytes, MAX_FILE_BYTES);
    if (stored === "too_large" || (file as Truncatable).truncated) throw tooLarge();
    files.set(name, { ...stored, filename });
  };
  const parser = busboy({
    headers: { "content-type": call.req.header("content-type") ?? "" },
    limits: { fieldSize: MAX_PARAMETER_BYTES, fileSize: MAX_FILE_BYTES },
  });
  parser.on("field", (name, value) => {
    fields[name] = value;
  });
  parser.on("file", (name, file, { filename }) => {
    const stored = store(name, file, filename ?? "");
    stored.catch(() => file.resume());
    storing.push(stored);
  });
  const source = Readable.fromWeb(call.req.raw.body as unknown as NodeReadableStream);
  try {
    await pipeline(source, parser);
  } catch {
    await Promise.allSettled(storing);
    throw badRequest("can't parse multipart form data");
  }
  await Promise.all(storing);
  return { fields, files };
}

export async function readParameters(call: Call): Promise<Form> {
  const type = call.req.header("content-type") ?? "";
  if (type.startsWith("multipart/form-data")) return readForm(call);
  const bytes = await readBody(call.req.raw, MAX_PARAMETER_BYTES);
  if (!bytes) throw tooLarge();
  const text = new TextDecoder().decode(bytes);
  const body = type.startsWith("application/json") ? parseJson(text) : new URLSearchParams(text);
  if (body instanceof URLSearchParams)
    return { fields: Object.fromEntries(body), files: new Map() };
  if (typeof body !== "object" || body === null) throw badRequest("can't parse JSON object");
  return { fields: { ...body }, files: new Map() };
}
