import { SAMPLE_VIDEO_BASE64 } from "../core/samples.ts";

export { SAMPLE_VIDEO_BASE64 };

const BOX_HEADER_BYTES = 8;

/** Padding fills the video up to `bytes` and contains `mark`, because networks refuse small and repeated videos. */
export function createSampleVideo(mark: string, bytes: number): Buffer<ArrayBuffer> {
  const film = Buffer.alloc(bytes);
  createSampleVideoHead(mark, bytes).copy(film);
  return film;
}

export function createSampleVideoHead(mark: string, bytes: number): Buffer<ArrayBuffer> {
  const film = Buffer.from(SAMPLE_VIDEO_BASE64, "base64");
  const free = Buffer.alloc(BOX_HEADER_BYTES + Buffer.byteLength(mark));
  free.writeUInt32BE(bytes - film.length, 0);
  free.write("free", 4, "latin1");
  free.write(mark, BOX_HEADER_BYTES, "utf8");
  return Buffer.concat([film, free]);
}
