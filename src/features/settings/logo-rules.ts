import { detectFileType } from "../../core/file-type.ts";
import { ImageWalk } from "../../core/image-walk.ts";

const SVG = "image/svg+xml";

/** Source: spec, "Client review link behavior". */
export const LOGO_TYPES = ["image/png", "image/jpeg", "image/webp", SVG] as const;
export type LogoType = (typeof LOGO_TYPES)[number];

/** Source: spec, "Client review link behavior". */
export const MAX_LOGO_BYTES = 150_000;

export const LOGO_TOO_LARGE =
  "The logo is larger than 150 KB. Save it smaller, then store it again.";

export const LOGO_NAMES: Record<LogoType, string> = {
  "image/png": "a PNG",
  "image/jpeg": "a JPEG",
  "image/webp": "a WebP",
  [SVG]: "an SVG",
};

/** An SVG is not checked. */
export function isReadable(bytes: Uint8Array, type: LogoType): boolean {
  if (type === SVG) return true;
  const walk = new ImageWalk();
  walk.write(bytes);
  return walk.isWhole;
}

export function detectLogoType(bytes: Uint8Array): LogoType | null {
  const mime = detectFileType(bytes)?.mime;
  return LOGO_TYPES.find((type) => type === mime) ?? (isSvg(bytes) ? SVG : null);
}

/** What may precede the root element of an XML document. */
const BEFORE_ROOT = [
  ["<?", "?>"],
  ["<!--", "-->"],
  ["<!DOCTYPE", ">"],
] as const;

function isSvg(bytes: Uint8Array): boolean {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return false;
  }
  let rest = text.trimStart();
  for (;;) {
    const part = BEFORE_ROOT.find(([begin]) => rest.startsWith(begin));
    if (!part) return /^<svg[\s/>]/.test(rest);
    const end = rest.indexOf(part[1], part[0].length);
    if (end < 0) return false;
    rest = rest.slice(end + part[1].length).trimStart();
  }
}
