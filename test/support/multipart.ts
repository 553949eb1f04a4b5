/** Multipart bodies written by hand: what no well-behaved client sends. */
export const BOUNDARY = "akimbo-test-boundary";
export const CONTENT_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

const encoder = new TextEncoder();

export const bytesOf = (text: string): Uint8Array => encoder.encode(text);

export function join(...parts: (Uint8Array | string)[]): Uint8Array<ArrayBuffer> {
  const chunks = parts.map((part) => (typeof part === "string" ? bytesOf(part) : part));
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** One part: its header lines, and its bytes. */
export const part = (headers: string[], body: Uint8Array | string): Uint8Array =>
  join(`--${BOUNDARY}\r\n${headers.join("\r\n")}\r\n\r\n`, body, "\r\n");

export const field = (name: string, value: Uint8Array | string): Uint8Array =>
  part([`Content-Disposition: form-data; name="${name}"`], value);

export const file = (
  name: string,
  body: Uint8Array | string,
  { fileName = "a.png", type = "image/png" } = {},
): Uint8Array =>
  part(
    [
      `Content-Disposition: form-data; name="${name}"; filename="${fileName}"`,
      `Content-Type: ${type}`,
    ],
    body,
  );

export const END = `--${BOUNDARY}--\r\n`;
