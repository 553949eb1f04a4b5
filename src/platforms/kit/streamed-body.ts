/** A file that is opened when its turn has come. */
interface StreamedPart {
  sizeBytes: number;
  read(): Promise<ReadableStream>;
}

/** Bytes that are at hand, or a file. */
export type BodyPart = Uint8Array | StreamedPart;

const sizeOf = (part: BodyPart): number =>
  part instanceof Uint8Array ? part.length : part.sizeBytes;

/** Writes one part after the other, each as fast as it is taken, and closes the sink. */
async function write(sink: WritableStream, parts: BodyPart[]): Promise<void> {
  for (const part of parts) {
    if (part instanceof Uint8Array) {
      const writer = sink.getWriter();
      await writer.write(part);
      writer.releaseLock();
    } else await (await part.read()).pipeTo(sink, { preventClose: true });
  }
  await sink.close();
}

/**
 * A body of parts that are passed on as they are read. Its length is known, so it goes out with a
 * Content-Length and is never held in memory.
 *
 * @param onBroken told when it broke off, as the reader of the body is
 */
export function streamedBody(
  parts: BodyPart[],
  onBroken: (error: unknown) => unknown = () => {},
): ReadableStream {
  const frame = new FixedLengthStream(parts.reduce((sum, part) => sum + sizeOf(part), 0));
  write(frame.writable, parts).catch((error) =>
    Promise.allSettled([onBroken(error), frame.writable.abort(error)]),
  );
  return frame.readable;
}
