import { connectors } from "../platforms/registry.ts";
import type { Form } from "./api.ts";
import { readHead, readLocalFile } from "./local-file.ts";
import { Problem } from "./program.ts";
import { formatBytes } from "./progress-bar.ts";

/** Settings of platforms by the names of POST /upload, one `NAME=VALUE` each. @throws Problem */
export function readSettings(
  given: readonly string[],
  own: readonly string[],
): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const one of given) {
    const [, name, value] = /^(\w+)=(.*)$/s.exec(one) ?? [];
    if (name === undefined || value === undefined) {
      throw new Problem(`--set wants NAME=VALUE, such as --set privacyStatus=private, not ${one}.`);
    }
    if (own.includes(name)) throw new Problem(`--set ${name}: it has an option of its own.`);
    settings[name] = value;
  }
  return settings;
}

/** Puts the text where the platform has it, beside a title where there is one. */
export function placeText(platform: string, text: string, title?: string): Form {
  const connector = connectors().find((one) => one.platform === platform);
  if (connector?.capabilities.textField === "title" && title === undefined) return { title: text };
  return { ...(title === undefined ? {} : { title }), description: text };
}

/** Source: README, "Known limits": a request has at most 100 MB of files; some room is left for the form. */
const MAX_FORM_BYTES = 95_000_000;

const isUrl = (given: string): boolean => /^https?:\/\//i.test(given);
const VIDEO_NAME = /\.(mp4|m4v|mov|webm)$/i;

/**
 * The media of a form: addresses as they are, files with their bytes.
 *
 * @throws Problem for what is no medium, and for files that are too large for a form
 */
export async function readMedia(given: readonly string[]): Promise<Form> {
  const media = await Promise.all(given.map(readMedium));
  const bytes = media.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (bytes > MAX_FORM_BYTES) {
    throw new Problem(
      `The files have ${formatBytes(bytes)}, and one call takes ${formatBytes(MAX_FORM_BYTES)}. ` +
        "The upload command sends a file of any size, in parts.",
    );
  }
  const [first, ...others] = media;
  if (!first) return {};
  if (first.isVideo && others.length === 0) return { video: first.value };
  return { photo: media.map(({ value }) => value) };
}

interface Medium {
  value: string | Blob;
  isVideo: boolean;
  sizeBytes: number;
}

async function readMedium(given: string): Promise<Medium> {
  if (isUrl(given)) {
    const isVideo = URL.canParse(given) && VIDEO_NAME.test(new URL(given).pathname);
    return { value: given, isVideo, sizeBytes: 0 };
  }
  const file = await readLocalFile(given);
  const { name, mime: type, kind, sizeBytes } = file;
  const isVideo = kind === "video";
  if (sizeBytes > MAX_FORM_BYTES) return { value: "", isVideo, sizeBytes };
  const bytes = await readHead(file, sizeBytes);
  return { value: new File([bytes], name, { type }), isVideo, sizeBytes };
}
