import { Readable } from "node:stream";
import busboy from "busboy";
import { Refusal } from "./refusal.ts";

export interface Part {
  name: string;
  type: string;
  content: Buffer;
}

/** The fields and files of an upload. Names keep their folders, such as `parts/a.js`. */
export async function readParts(contentType: string, body: Buffer): Promise<Part[]> {
  const parts: Part[] = [];
  let parser: busboy.Busboy;
  try {
    parser = busboy({
      headers: { "content-type": contentType },
      preservePath: true,
      limits: { fieldSize: Number.MAX_SAFE_INTEGER },
    });
  } catch {
    throw new Refusal(10_001, "Content-Type must be one of: multipart/form-data.", 415);
  }
  parser.on("field", (name, text, { mimeType }) => {
    parts.push({ name, type: mimeType, content: Buffer.from(text) });
  });
  parser.on("file", (name, stream, { mimeType }) => {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => parts.push({ name, type: mimeType, content: Buffer.concat(chunks) }));
  });
  await new Promise<void>((resolve, reject) => {
    parser.on("close", resolve);
    parser.on("error", () => reject(new Refusal(10_006, "Failed to parse Worker upload.")));
    Readable.from([body]).pipe(parser);
  });
  return parts;
}
