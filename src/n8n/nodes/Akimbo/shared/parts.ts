/**
 * Cuts a stream into pieces of the given sizes, one at a time in memory.
 *
 * @throws Error when the stream has fewer or more bytes
 */
export async function* cutInParts(
  stream: AsyncIterable<Uint8Array>,
  sizes: readonly number[],
): AsyncGenerator<Buffer> {
  let chunks: Uint8Array[] = [];
  let collected = 0;
  let part = 0;
  for await (let chunk of stream) {
    for (;;) {
      const size = sizes[part];
      if (size === undefined) {
        if (chunk.length === 0) break;
        throw new Error("The file has more bytes than it had when it was announced.");
      }
      const missing = size - collected;
      chunks.push(chunk.subarray(0, missing));
      if (chunk.length < missing) {
        collected += chunk.length;
        break;
      }
      yield Buffer.concat(chunks);
      chunk = chunk.subarray(missing);
      chunks = [];
      collected = 0;
      part++;
    }
  }
  if (part < sizes.length) {
    throw new Error("The file has fewer bytes than it had when it was announced.");
  }
}

const escapeXml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html */
export function completionXml(parts: readonly { partNumber: number; etag: string }[]): string {
  const lines = parts.map(
    ({ partNumber, etag }) =>
      `<Part><PartNumber>${partNumber}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
  );
  return `<CompleteMultipartUpload>${lines.join("")}</CompleteMultipartUpload>`;
}
