import { nullIfBlank } from "./text.ts";

/** Spec is silent: most file systems allow 255. */
export const MAX_FILE_NAME = 255;

/** Control characters, line separators and marks that change the direction of the text around a name. */
const UNSAFE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** Null when nothing is left. */
export function cleanFileName(text: string): string | null {
  const name = text.toWellFormed().replace(UNSAFE, "").trim();
  return nullIfBlank([...name].slice(0, MAX_FILE_NAME).join("").trim());
}

export function fileNameInUrl({ pathname }: URL): string {
  const last = pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
