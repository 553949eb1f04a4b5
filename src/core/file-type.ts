export interface FileType {
  kind: "image" | "video" | "document";
  mime: string;
}

const ascii = (bytes: Uint8Array, start: number, end: number): string =>
  String.fromCharCode(...bytes.subarray(start, end));

const startsWith = (bytes: Uint8Array, ...prefix: number[]): boolean =>
  prefix.every((byte, i) => bytes[i] === byte);

/** Brands of ISO media files that hold pictures (HEIC, AVIF, CR3) or only sound. */
const NO_VIDEO = /^(?:hei[cmsx]|hev[cmsx]|mif1|msf1|avi[fs]|crx |M4[ABP] )$/;

/** How many leading bytes `detectFileType` wants to see. */
export const FILE_TYPE_BYTES = 16;

/** What a file is by its first bytes; null for what no platform takes. Names are not believed. */
export function detectFileType(bytes: Uint8Array): FileType | null {
  if (startsWith(bytes, 0xff, 0xd8, 0xff)) return { kind: "image", mime: "image/jpeg" };
  if (startsWith(bytes, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) {
    return { kind: "image", mime: "image/png" };
  }
  if (ascii(bytes, 0, 4) === "GIF8") return { kind: "image", mime: "image/gif" };
  if (ascii(bytes, 0, 4) === "RIFF" && ascii(bytes, 8, 12) === "WEBP") {
    return { kind: "image", mime: "image/webp" };
  }
  if (ascii(bytes, 4, 8) === "ftyp") {
    const brand = ascii(bytes, 8, 12);
    if (NO_VIDEO.test(brand)) return null;
    return { kind: "video", mime: brand === "qt  " ? "video/quicktime" : "video/mp4" };
  }
  if (startsWith(bytes, 0x1a, 0x45, 0xdf, 0xa3)) return { kind: "video", mime: "video/webm" };
  if (ascii(bytes, 0, 5) === "%PDF-") return { kind: "document", mime: "application/pdf" };
  return null;
}
