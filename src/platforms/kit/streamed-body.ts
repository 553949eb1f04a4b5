interface StreamedPart {
  sizeBytes: number;
  read(): Promise<ReadableStream>;
}

export type BodyPart = Uint8Array | StreamedPart;

const sizeOf = (part: BodyPart): number =>
  part instanceof Uint8Array ? part.length : part.sizeBytes;

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
 * The known length gives a Content-Length.
 * @param onBroken gets the error when a part cannot be read
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
