import { randomHex } from "../../core/ids.ts";
import { type BodyPart, streamedBody } from "./streamed-body.ts";

interface FilePart {
  name: string;
  filename: string;
  mime: string;
  sizeBytes: number;
}

export interface FormFile extends FilePart {
  data: ReadableStream;
}

export interface UnreadFile extends FilePart {
  read(): Promise<ReadableStream>;
}

interface TextPart {
  name: string;
  text: string;
  /** Default: none. */
  mime?: string;
}

interface Form {
  body: ReadableStream;
  contentType: string;
}

/**
 * Streams the file, which is the form's last field.
 * @see https://www.rfc-editor.org/rfc/rfc7578
 */
export function streamedForm(texts: Record<string, string>, { data, ...file }: FormFile): Form {
  const fields = Object.entries(texts).map(([name, text]) => ({ name, text }));
  return toForm(fields, [{ ...file, read: async () => data }], (error) => data.cancel(error));
}

/** Reads one file after another, behind the texts. */
export const streamedFiles = (texts: readonly TextPart[], files: readonly UnreadFile[]): Form =>
  toForm(texts, files);

function toForm(
  texts: readonly TextPart[],
  files: readonly UnreadFile[],
  onBroken?: (error: unknown) => unknown,
): Form {
  const boundary = `akimbo-${randomHex(16)}`;
  const encode = (text: string) => new TextEncoder().encode(text);
  const part = (name: string, rest: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${rest}`;
  const fields = texts.map(({ name, text, mime }) =>
    part(name, `${mime ? `\r\nContent-Type: ${mime}` : ""}\r\n\r\n${text}\r\n`),
  );
  const sent = files.flatMap(({ name, filename, mime, sizeBytes, read }): BodyPart[] => [
    encode(part(name, `; filename="${filename}"\r\nContent-Type: ${mime}\r\n\r\n`)),
    { sizeBytes, read },
    encode("\r\n"),
  ]);
  const parts = [encode(fields.join("")), ...sent, encode(`--${boundary}--\r\n`)];
  const body = streamedBody(parts, onBroken);
  return { body, contentType: `multipart/form-data; boundary=${boundary}` };
}
