import { randomHex } from "../../core/ids.ts";
import { writeParts } from "./write-parts.ts";

/** A file on its way through us. */
export interface FormFile {
  /** Of its field. */
  name: string;
  filename: string;
  mime: string;
  data: ReadableStream;
  sizeBytes: number;
}

/**
 * A multipart form of texts and one file, which comes last and is passed on as it is read. Of known
 * length, so that it goes out with a Content-Length and is never held in memory.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7578
 */
export function streamedForm(
  texts: Record<string, string>,
  file: FormFile,
): { body: ReadableStream; contentType: string } {
  const boundary = `akimbo-${randomHex(16)}`;
  const part = (name: string, rest: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${rest}`;
  const fields = Object.entries(texts).map(([name, text]) => part(name, `\r\n\r\n${text}\r\n`));
  const opening = `; filename="${file.filename}"\r\nContent-Type: ${file.mime}\r\n\r\n`;
  const head = new TextEncoder().encode(fields.join("") + part(file.name, opening));
  const tail = new TextEncoder().encode(`\r\n--${boundary}--\r\n`);
  const frame = new FixedLengthStream(head.length + file.sizeBytes + tail.length);
  // Whoever reads the body learns of what breaks.
  writeParts(frame.writable, [head, async () => file.data, tail]).catch((error) =>
    Promise.allSettled([file.data.cancel(error), frame.writable.abort(error)]),
  );
  return { body: frame.readable, contentType: `multipart/form-data; boundary=${boundary}` };
}
