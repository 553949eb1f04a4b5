import { SAMPLE_VIDEO_BASE64 } from "../../src/cli/sample-video.ts";

const SAMPLE = Buffer.from(SAMPLE_VIDEO_BASE64, "base64");

/** The sample, and the header of a box of free space that lasts to the end of so many bytes. */
export function filmHead(sizeBytes: number): Uint8Array<ArrayBuffer> {
  const box = Buffer.alloc(16);
  box.writeUInt32BE(1, 0);
  box.write("free", 4, "latin1");
  box.writeBigUInt64BE(BigInt(sizeBytes - SAMPLE.length), 8);
  return new Uint8Array(Buffer.concat([SAMPLE, box]));
}
