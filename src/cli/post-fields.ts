import { connectors } from "../platforms/registry.ts";
import type { Capabilities, Form } from "./api.ts";
import { readHead, readLocalFile } from "./local-file.ts";
import { Misuse, Problem } from "./program.ts";
import { formatBytes } from "./progress-bar.ts";
import { retrying } from "./retry.ts";

/** Settings of platforms by the names of POST /upload, one `NAME=VALUE` each. @throws Misuse */
export function readSettings(
  given: readonly string[],
  own: readonly string[],
): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const one of given) {
    const [, name, value] = /^(\w+)=(.*)$/s.exec(one) ?? [];
    if (name === undefined || value === undefined) {
      throw new Misuse(`--set wants NAME=VALUE, such as --set privacyStatus=private, not ${one}.`);
    }
    if (own.includes(name)) throw new Misuse(`--set ${name}: it has an option of its own.`);
    settings[name] = value;
  }
  return settings;
}

/** Fields of POST /upload that every platform has, and no option of their own. */
const COMMON_FIELDS = ["status", "thumbnail_url"];

/** Flags that a batch alone has. */
export const BATCH_FLAGS = connectors().flatMap(({ batchFlags = {} }) => Object.keys(batchFlags));

/**
 * Looks for fields among those of the platforms: a form leaves out what it does not know.
 *
 * @param ask for the platforms of the post; called where there is something to look for
 * @throws Misuse for a field that none of the platforms has
 */
export async function requireKnownFields(
  names: readonly string[],
  ask: () => Promise<readonly Capabilities[]>,
): Promise<void> {
  const own = names.filter((name) => !COMMON_FIELDS.includes(name));
  if (own.length === 0) return;
  const platforms = await retrying(ask);
  const known = new Set(platforms.flatMap(({ settingsSchema }) => Object.keys(settingsSchema)));
  const unknown = own.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const [first] = platforms;
  const taker = platforms.length === 1 && first ? `${first.platform} has no` : "no platform has a";
  const list = [...known].sort().join(", ");
  throw new Misuse(`--set: ${taker} field ${unknown.join(", ")}. There are: ${list}.`);
}

/** Puts the text where the platform has it, beside a title where there is one. */
export function placeText(platform: string, text: string, title?: string): Form {
  const connector = connectors().find((one) => one.platform === platform);
  if (connector?.capabilities.textField === "title" && title === undefined) return { title: text };
  return { ...(title === undefined ? {} : { title }), description: text };
}

/** Source: src/docs/posts.md, "Limits of every post": a file in a call has at most 100 MB; the form needs some room. */
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
