import { crc32, deflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const EIGHT_BITS = 8;
const TRUE_COLOUR = 2;
const FILTER_SUB = 1;
const BYTES_PER_PIXEL = 3;

export type Colour = readonly [red: number, green: number, blue: number];

interface Gradient {
  width: number;
  height: number;
  from: Colour;
  to: Colour;
}

export function createGradientPng({ width, height, from, to }: Gradient): Buffer<ArrayBuffer> {
  const stride = 1 + width * BYTES_PER_PIXEL;
  const raw = Buffer.alloc(stride * height);
  const sun = { x: width * 0.68, y: height * 0.36, radius: height * 0.42 };
  for (let y = 0; y < height; y++) {
    const row = y * stride;
    raw[row] = FILTER_SUB;
    const previous = [0, 0, 0];
    for (let x = 0; x < width; x++) {
      const along = (x / width + y / height) / 2;
      const glow = Math.max(0, 1 - Math.hypot(x - sun.x, y - sun.y) / sun.radius) ** 2;
      for (let channel = 0; channel < BYTES_PER_PIXEL; channel++) {
        const start = from[channel] ?? 0;
        const base = start + ((to[channel] ?? 0) - start) * along;
        const value = Math.round(base + (255 - base) * glow);
        raw[row + 1 + x * BYTES_PER_PIXEL + channel] = value - (previous[channel] ?? 0);
        previous[channel] = value;
      }
    }
  }
  return Buffer.concat([
    SIGNATURE,
    createChunk("IHDR", createHeader(width, height)),
    createChunk("IDAT", deflateSync(raw)),
    createChunk("IEND", Buffer.alloc(0)),
  ]);
}

function createHeader(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = EIGHT_BITS;
  header[9] = TRUE_COLOUR;
  return header;
}

/** @see https://www.w3.org/TR/png-3/#5Chunk-layout */
function createChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
