/** Bytes that are at hand, or a stream that is opened when its turn has come. */
export type BodyPart = Uint8Array | (() => Promise<ReadableStream>);

/** Writes one part after the other, each as fast as it is taken, and closes the sink. */
export async function writeParts(sink: WritableStream, parts: BodyPart[]): Promise<void> {
  for (const part of parts) {
    if (part instanceof Uint8Array) {
      const writer = sink.getWriter();
      await writer.write(part);
      writer.releaseLock();
    } else await (await part()).pipeTo(sink, { preventClose: true });
  }
  await sink.close();
}
