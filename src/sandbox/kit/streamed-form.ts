import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import busboy from "busboy";
import { type FileOwner, type StoredFile, storeFile } from "./files.ts";
import type { Call } from "./simulator.ts";

export interface SentFile extends StoredFile {
  filename: string;
}

export interface SentForm {
  fields: Record<string, string>;
  /** By the names of their fields. */
  files: Map<string, SentFile>;
}

/** Busboy cuts a file off where it is too large. */
interface Truncatable extends Readable {
  truncated?: boolean;
}

/** Stores files as they arrive, because several do not fit into memory. They are not sealed yet. */
export async function readStreamedForm(
  { env, req }: Call,
  owner: FileOwner,
  limits: { fieldSize: number; fileSize: number },
): Promise<SentForm | "too_large" | "malformed"> {
  const form: SentForm = { fields: {}, files: new Map() };
  const storing: Promise<void>[] = [];
  let isTooLarge = false;
  const store = async (name: string, file: Truncatable, filename: string) => {
    const bytes = Readable.toWeb(file) as unknown as ReadableStream<Uint8Array>;
    const stored = await storeFile(env, owner, bytes, limits.fileSize);
    if (stored === "too_large" || file.truncated) isTooLarge = true;
    else form.files.set(name, { ...stored, filename });
  };
  const source = Readable.fromWeb(req.raw.body as unknown as NodeReadableStream);
  try {
    const headers = { "content-type": req.header("content-type") ?? "" };
    const parser = busboy({ headers, limits });
    parser.on("field", (name, value) => {
      form.fields[name] = value;
    });
    parser.on("file", (name, file, { filename }) => {
      const stored = store(name, file, filename ?? "");
      stored.catch(() => file.resume());
      storing.push(stored);
    });
    await pipeline(source, parser);
  } catch {
    await Promise.allSettled(storing);
    return "malformed";
  }
  await Promise.all(storing);
  return isTooLarge ? "too_large" : form;
}
