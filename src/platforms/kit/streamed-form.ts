import { randomHex } from "../../core/ids.ts";
import { type BodyPart, streamedBody } from "./streamed-body.ts";

export interface FormFile {
  name: string;
  filename: string;
  mime: string;
  /** A function opens the file when its turn comes, because an invocation has few connections. */
  data: ReadableStream | (() => Promise<ReadableStream>);
  sizeBytes: number;
}

/**
 * Streams the files, which are the form's last fields.
 * @see https://www.rfc-editor.org/rfc/rfc7578
 */
export function streamedForm(
  texts: Record<string, string>,
  ...files: FormFile[]
): { body: ReadableStream; contentType: string } {
  const boundary = `akimbo-${randomHex(16)}`;
  const bytes = (text: string) => new TextEncoder().encode(text);
  const part = (name: string, rest: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${rest}`;
  const fields = Object.entries(texts).map(([name, text]) => part(name, `\r\n\r\n${text}\r\n`));
  const sent = files.flatMap(({ name, filename, mime, data, sizeBytes }): BodyPart[] => {
    const opening = `; filename="${filename}"\r\nContent-Type: ${mime}\r\n\r\n`;
    const read = async () => (typeof data === "function" ? data() : data);
    return [bytes(part(name, opening)), { sizeBytes, read }, bytes("\r\n")];
  });
  const body = streamedBody(
    [bytes(fields.join("")), ...sent, bytes(`--${boundary}--\r\n`)],
    (error) =>
      Promise.allSettled(
        files.map(({ data }) => (typeof data === "function" ? undefined : data.cancel(error))),
      ),
  );
  return { body, contentType: `multipart/form-data; boundary=${boundary}` };
}
