import { connectors } from "../platforms/registry.ts";
import type { Capabilities, Form } from "./api.ts";
import { readHead, readLocalFile } from "./local-file.ts";
import { Misuse, Problem } from "./program.ts";
import { formatBytes } from "./progress-bar.ts";
import { retrying } from "./retry.ts";

export function readSettings(
  pairs: readonly string[],
  own: readonly string[],
): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const one of pairs) {
    const [, name, value] = /^(\w+)=(.*)$/s.exec(one) ?? [];
    if (name === undefined || value === undefined) {
      throw new Misuse(`--set wants NAME=VALUE, such as --set privacyStatus=private, not ${one}.`);
    }
    if (own.includes(name)) throw new Misuse(`--set ${name}: it has an option of its own.`);
    settings[name] = value;
  }
  return settings;
}

const COMMON_FIELDS = ["status", "thumbnail_url", "thumbnailMediaId"];

export const BATCH_FLAGS = connectors().flatMap(({ batchFlags = {} }) => Object.keys(batchFlags));

/**
 * The API ignores unknown form fields.
 *
 * @param ask returns the platforms of the post
 * @throws Misuse for a field that none of the platforms has
 */
export async function requireKnownFields(
  names: readonly string[],
  ask: () => Promise<readonly Capabilities[]>,
): Promise<void> {
  const own = names.filter((name) => !COMMON_FIELDS.includes(name));
  if (own.length === 0) return;
  const platforms = await retrying(ask);
  const available = new Set(platforms.flatMap(({ settingsSchema }) => Object.keys(settingsSchema)));
  const unknown = own.filter((name) => !available.has(name));
  if (unknown.length === 0) return;
  const [first] = platforms;
  const taker = platforms.length === 1 && first ? `${first.platform} has no` : "no platform has a";
  const list = [...available].sort().join(", ");
  throw new Misuse(`--set: ${taker} field ${unknown.join(", ")}. There are: ${list}.`);
}

export function placeText(platform: string, text: string, title?: string): Form {
  const connector = connectors().find((one) => one.platform === platform);
  if (connector?.capabilities.textField === "title" && title === undefined) return { title: text };
  return { ...(title === undefined ? {} : { title }), description: text };
}

/** Source: src/docs/posts.md, "Limits of every post": 100 MB per file in a call. The other fields need some room. */
const MAX_FORM_BYTES = 95_000_000;

const MEDIA_ID = /^[0-9a-f]{64}$/;
const isUrl = (text: string): boolean => /^https?:\/\//i.test(text);
const VIDEO_NAME = /\.(mp4|m4v|mov|webm)$/i;

/** @throws Problem for other media types, or too large files */
export async function readMedia(sources: readonly string[]): Promise<Form> {
  const media = await Promise.all(sources.map(readMedium));
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

async function readMedium(source: string) {
  if (MEDIA_ID.test(source)) return { value: { mediaId: source }, isVideo: false, sizeBytes: 0 };
  if (isUrl(source)) {
    const isVideo = URL.canParse(source) && VIDEO_NAME.test(new URL(source).pathname);
    return { value: source, isVideo, sizeBytes: 0 };
  }
  const file = await readLocalFile(source);
  const { name, mime: type, kind, sizeBytes } = file;
  const isVideo = kind === "video";
  if (sizeBytes > MAX_FORM_BYTES) return { value: "", isVideo, sizeBytes };
  const bytes = await readHead(file, sizeBytes);
  return { value: new File([bytes], name, { type }), isVideo, sizeBytes };
}
