export interface FileType {
  kind: "image" | "video" | "document";
  mime: string;
}

const ascii = (bytes: Uint8Array, start: number, end: number): string =>
  String.fromCharCode(...bytes.subarray(start, end));

const startsWith = (bytes: Uint8Array, ...prefix: number[]): boolean =>
  prefix.every((byte, i) => bytes[i] === byte);

/** ISO media files without video: pictures (HEIC, AVIF, CR3) or sound. */
const NO_VIDEO = /^(?:hei[cmsx]|hev[cmsx]|mif1|msf1|avi[fs]|crx |M4[ABP] )$/;

/** Enough leading bytes for all types except Office files. */
export const FILE_TYPE_BYTES = 16;

const OFFICE = "application/vnd.openxmlformats-officedocument";
const OFFICE_TYPES = {
  doc: "application/msword",
  docx: `${OFFICE}.wordprocessingml.document`,
  ppt: "application/vnd.ms-powerpoint",
  pptx: `${OFFICE}.presentationml.presentation`,
} as const;

const EXTENSIONS: Record<string, string> = {
  jpg: "image/jpeg",
  png: "image/png",
  gif: "image/gif",
  webp: "image/webp",
  mp4: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
  pdf: "application/pdf",
  ...OFFICE_TYPES,
};

/** A file name for platforms that go by its extension. */
export function fileNameOf(mime: string, base = "file"): string {
  const [extension = "bin"] = Object.entries(EXTENSIONS).find(([, type]) => type === mime) ?? [];
  return `${base}.${extension}`;
}

/** A file name with the extension of an Office file. Empty for another type. */
export const officeNameOf = (mime: string): string => {
  const [extension] = Object.entries(OFFICE_TYPES).find(([, type]) => type === mime) ?? [];
  return extension ? `file.${extension}` : "";
};

export function detectSubtitles(bytes: Uint8Array): FileType | null {
  const text = new TextDecoder().decode(bytes);
  if (/^WEBVTT(?:\s|$)/.test(text)) return { kind: "document", mime: "text/vtt" };
  const isSrt = /\d\d:\d\d:\d\d,\d{3}\s*-->/.test(text);
  return isSrt ? { kind: "document", mime: "application/x-subrip" } : null;
}

type OfficeExtension = keyof typeof OFFICE_TYPES;

const OFFICE_HEAD_BYTES = 16 * 1024;

/** The file's name decides when the bytes do not show the Office program. */
function detectOffice(bytes: Uint8Array, name: string): FileType | null {
  const isZip = startsWith(bytes, 0x50, 0x4b, 0x03, 0x04);
  const isCompound = startsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1);
  if (!isZip && !isCompound) return null;
  const [word, slides]: OfficeExtension[] = isZip ? ["docx", "pptx"] : ["doc", "ppt"];
  const head = isZip ? ascii(bytes, 0, OFFICE_HEAD_BYTES) : "";
  const extension = head.includes("word/")
    ? word
    : head.includes("ppt/")
      ? slides
      : [word, slides].find((one) => name.toLowerCase().endsWith(`.${one}`));
  return extension ? { kind: "document", mime: OFFICE_TYPES[extension] } : null;
}

/** `name` matters only for Office files. */
export function detectFileType(bytes: Uint8Array, name = ""): FileType | null {
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
  return detectOffice(bytes, name);
}
