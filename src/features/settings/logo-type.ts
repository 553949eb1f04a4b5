import { detectFileType } from "../../core/file-type.ts";

const SVG = "image/svg+xml";

/** Types of a logo. Source: spec, "Client review link behavior". */
export const LOGO_TYPES = ["image/png", "image/jpeg", "image/webp", SVG] as const;
export type LogoType = (typeof LOGO_TYPES)[number];

/** Source: spec, "Client review link behavior". */
export const MAX_LOGO_BYTES = 150_000;

/** Detects the type of a logo by its content; null for what is none. */
export function detectLogoType(bytes: Uint8Array): LogoType | null {
  const mime = detectFileType(bytes)?.mime;
  return LOGO_TYPES.find((type) => type === mime) ?? (isSvg(bytes) ? SVG : null);
}

/** Beginnings and ends of the parts that may stand before the root of an XML document. */
const BEFORE_ROOT = [
  ["<?", "?>"],
  ["<!--", "-->"],
  ["<!DOCTYPE", ">"],
] as const;

/** Returns true for UTF-8 text whose first element is `svg`. */
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
