/**
 * The body of a platform's reply as text, never more than `maxBytes` of it: a reply is a stranger's.
 * Null for no body, and for a longer one.
 */
export async function readText(reply: Response, maxBytes: number): Promise<string | null> {
  if (!reply.body) return null;
  const reader: ReadableStreamDefaultReader<Uint8Array> = reply.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let sizeBytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    sizeBytes += value.length;
    if (sizeBytes > maxBytes) {
      await reader.cancel();
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Undefined for what is not JSON. */
export function parseJson(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
