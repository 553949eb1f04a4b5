import { decodeUtf8 } from "../core/text.ts";

const TYPE = /^multipart\/form-data; ?boundary=("?)([\w-]{1,70})\1$/i;
const FIELD = /^Content-Disposition: form-data; name="([\w.[\]-]{1,100})"\r\n\r\n/i;

type PlainField = readonly [name: string, text: string];

/** Null for a form with other fields than plain text, which busboy reads with much more CPU. */
export function readPlainForm(contentType: string, body: Uint8Array): PlainField[] | null {
  const boundary = TYPE.exec(contentType)?.[2];
  if (boundary === undefined) return null;
  const text = decodeUtf8(body);
  if (text === null) return null;
  const delimiter = `\r\n--${boundary}`;
  const [start, ...parts] = `\r\n${text}`.split(delimiter);
  const end = parts.pop();
  if (start !== "" || (end !== "--\r\n" && end !== "--")) return null;
  const fields: PlainField[] = [];
  for (const part of parts) {
    const content = part.startsWith("\r\n") ? part.slice(2) : "";
    const [head, name] = FIELD.exec(content) ?? [];
    if (head === undefined || name === undefined) return null;
    fields.push([name, content.slice(head.length)]);
  }
  return fields;
}
