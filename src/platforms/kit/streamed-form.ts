import { randomHex } from "../../core/ids.ts";
import { streamedBody } from "./streamed-body.ts";

export interface FormFile {
  name: string;
  filename: string;
  mime: string;
  data: ReadableStream;
  sizeBytes: number;
}

/**
 * Streams the file, which is the form's last field.
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
  const { data, sizeBytes } = file;
  const body = streamedBody([head, { sizeBytes, read: async () => data }, tail], (error) =>
    data.cancel(error),
  );
  return { body, contentType: `multipart/form-data; boundary=${boundary}` };
}
