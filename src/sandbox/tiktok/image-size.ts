export interface ImageSize {
  width: number;
  height: number;
}

/** Markers that begin a frame, which holds the size; DHT, JPG and DAC lie among them. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** @see https://www.w3.org/Graphics/JPEG/itu-t81.pdf */
function jpegSize(view: DataView): ImageSize | null {
  for (let at = 2; at + 9 <= view.byteLength && view.getUint8(at) === 0xff; ) {
    const marker = view.getUint8(at + 1);
    if (isFrame(marker)) {
      return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    }
    at += 2 + view.getUint16(at + 2);
  }
  return null;
}

const VP8X = 0x56503858;
const VP8L = 0x5650384c;
const VP8 = 0x56503820;

/** @see https://developers.google.com/speed/webp/docs/riff_container */
function webpSize(view: DataView): ImageSize | null {
  if (view.byteLength < 30) return null;
  switch (view.getUint32(12)) {
    case VP8X:
      return {
        width: 1 + (view.getUint32(24, true) & 0xffffff),
        height: 1 + (view.getUint32(26, true) >>> 8),
      };
    case VP8L: {
      const bits = view.getUint32(21, true);
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
    }
    case VP8:
      return {
        width: view.getUint16(26, true) & 0x3fff,
        height: view.getUint16(28, true) & 0x3fff,
      };
    default:
      return null;
  }
}

const JPEG = 0xffd8;
const RIFF = 0x5249;

/** The size in the header of a JPEG or WebP; null where it cannot be read. */
export function readImageSize(bytes: Uint8Array): ImageSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.byteLength < 12) return null;
  const start = view.getUint16(0);
  if (start === JPEG) return jpegSize(view);
  return start === RIFF ? webpSize(view) : null;
}
