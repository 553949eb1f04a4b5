import { decodeUtf8 } from "../core/text.ts";

const TYPE = /^multipart\/form-data; ?boundary=("?)([\w-]{1,70})\1$/i;
/** A part with a name and nothing else, which is a field of text. */
const FIELD = /^Content-Disposition: form-data; name="([\w.[\]-]{1,100})"\r\n\r\n/i;

/** A field's name and text, as sent. */
type PlainField = readonly [name: string, text: string];

/**
 * Reads a form that holds fields of text alone, written as every client writes them. Null for any other,
 * a broken one included: that is for the parser of streams, which takes much more CPU.
 */
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
