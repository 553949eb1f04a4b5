import { countGraphemes, countUtf8Bytes } from "../../core/text.ts";

export const POST_COLLECTION = "app.bsky.feed.post";

export interface BlobRef {
  cid: string;
  mimeType: string;
  sizeBytes: number;
  alt: string;
}

export interface PostRecord {
  text: string;
  blobs: BlobRef[];
  replyTo: string | undefined;
  fields: Record<string, unknown>;
}

export class LexiconError extends Error {}

/** Source: lexicons app.bsky.feed.post, app.bsky.embed.*, app.bsky.richtext.facet. */
const MAX_TEXT_BYTES = 3_000;
const MAX_TEXT_GRAPHEMES = 300;
const MAX_LANGS = 3;
const MAX_TAGS = 8;
const MAX_TAG_BYTES = 640;
const MAX_TAG_GRAPHEMES = 64;
const MAX_LABELS = 10;
const MAX_LABEL_BYTES = 128;
const MAX_IMAGES = 4;
const MAX_IMAGE_BYTES = 2_000_000;
const MAX_THUMB_BYTES = 1_000_000;
const MAX_VIDEO_BYTES = 300_000_000;

const POST_FIELDS = [
  "$type",
  "text",
  "createdAt",
  "facets",
  "reply",
  "embed",
  "langs",
  "labels",
  "tags",
];

const DATETIME =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
const LANGUAGE = /^([a-z]{2,3}(-[A-Za-z0-9]{2,8})*|x(-[A-Za-z0-9]{1,8})+)$/i;
const DID = /^did:[a-z]+:[a-zA-Z0-9._:%-]*[a-zA-Z0-9._-]$/;
const AT_URI = /^at:\/\/[^/\s]+(\/[^/\s]+){0,2}$/;
const URI = /^[a-z][a-z0-9+.-]*:\S+$/i;
const CID = /^b[a-z2-7]{20,}$/;

function refuse(message: string, path: string): never {
  throw new LexiconError(`${message} at ${path}`);
}

const shown = (value: unknown): string => {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 255));
  return typeof value === "object" && value !== null ? "object" : String(value);
};

function asObject(value: unknown, path: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    refuse(`Expected object value type (got ${shown(value)})`, path);
  }
  return value as Record<string, unknown>;
}

function required(object: Record<string, unknown>, key: string, path: string): unknown {
  if (object[key] === undefined) refuse(`Missing required key "${key}"`, path);
  return object[key];
}

function asString(value: unknown, path: string, format?: { name: string; pattern: RegExp }) {
  if (typeof value !== "string") {
    refuse(`Expected string value type (got ${shown(value)})`, path);
  }
  if (format && !format.pattern.test(value)) {
    refuse(`Invalid ${format.name} (got ${shown(value)})`, path);
  }
  return value;
}

function asLimitedString(value: unknown, path: string, maxBytes: number, maxGraphemes?: number) {
  const text = asString(value, path);
  const bytes = countUtf8Bytes(text);
  if (bytes > maxBytes) refuse(`string too big (maximum ${maxBytes}, got ${bytes})`, path);
  if (maxGraphemes !== undefined) {
    const graphemes = countGraphemes(text);
    if (graphemes > maxGraphemes) {
      refuse(`grapheme too big (maximum ${maxGraphemes}, got ${graphemes})`, path);
    }
  }
  return text;
}

function asInteger(value: unknown, path: string, minimum: number): number {
  if (typeof value !== "number" || !Number.isInteger(value)) {
    refuse(`Expected integer value type (got ${shown(value)})`, path);
  }
  if (value < minimum) refuse(`integer too small (minimum ${minimum}, got ${value})`, path);
  return value;
}

function asArray(value: unknown, path: string, maximum = Number.POSITIVE_INFINITY): unknown[] {
  if (!Array.isArray(value)) refuse(`Expected array value type (got ${shown(value)})`, path);
  if (value.length > maximum) {
    refuse(`array too big (maximum ${maximum}, got ${value.length})`, path);
  }
  return value;
}

function asTyped<T extends string>(
  value: unknown,
  path: string,
  types: readonly T[],
): { type: T; object: Record<string, unknown> } {
  const object = asObject(value, path);
  const name = required(object, "$type", path);
  const type = types.find((one) => one === name);
  if (!type) {
    refuse(`Expected ${types.map(shown).join(" or ")} (got ${shown(name)})`, `${path}.$type`);
  }
  return { type, object };
}

function asBlob(
  value: unknown,
  path: string,
  rule: { accept: string; maxBytes: number },
): Omit<BlobRef, "alt"> {
  const object = asObject(value, path);
  if (object.$type !== "blob") refuse(`Expected blob value type (got ${shown(value)})`, path);
  const ref = asObject(required(object, "ref", path), `${path}.ref`);
  const cid = asString(required(ref, "$link", `${path}.ref`), `${path}.ref.$link`, {
    name: "CID string",
    pattern: CID,
  });
  const mimeType = asString(required(object, "mimeType", path), `${path}.mimeType`);
  const sizeBytes = asInteger(required(object, "size", path), `${path}.size`, 0);
  const isAccepted = rule.accept.endsWith("/*")
    ? mimeType.startsWith(rule.accept.slice(0, -1))
    : mimeType === rule.accept;
  if (!isAccepted) {
    refuse(`Expected ${shown(rule.accept)} (got ${shown(mimeType)})`, `${path}.mimeType`);
  }
  if (sizeBytes > rule.maxBytes) {
    refuse(`blob too big (maximum ${rule.maxBytes}, got ${sizeBytes})`, path);
  }
  return { cid, mimeType, sizeBytes };
}

function checkAspectRatio(value: unknown, path: string): void {
  if (value === undefined) return;
  const ratio = asObject(value, path);
  for (const side of ["width", "height"]) {
    asInteger(required(ratio, side, path), `${path}.${side}`, 1);
  }
}

function checkStrongRef(value: unknown, path: string): void {
  const ref = asObject(value, path);
  asString(required(ref, "uri", path), `${path}.uri`, { name: "at-uri", pattern: AT_URI });
  asString(required(ref, "cid", path), `${path}.cid`, { name: "CID string", pattern: CID });
}

const EMBEDS = [
  "app.bsky.embed.images",
  "app.bsky.embed.video",
  "app.bsky.embed.external",
  "app.bsky.embed.record",
] as const;

function readEmbed(value: unknown, path: string): BlobRef[] {
  const { type, object } = asTyped(value, path, EMBEDS);
  switch (type) {
    case "app.bsky.embed.images":
      return asArray(required(object, "images", path), `${path}.images`, MAX_IMAGES).map(
        (item, index) => {
          const at = `${path}.images[${index}]`;
          const image = asObject(item, at);
          const blob = asBlob(required(image, "image", at), `${at}.image`, {
            accept: "image/*",
            maxBytes: MAX_IMAGE_BYTES,
          });
          const alt = asString(required(image, "alt", at), `${at}.alt`);
          checkAspectRatio(image.aspectRatio, `${at}.aspectRatio`);
          return { ...blob, alt };
        },
      );
    case "app.bsky.embed.video": {
      const blob = asBlob(required(object, "video", path), `${path}.video`, {
        accept: "video/mp4",
        maxBytes: MAX_VIDEO_BYTES,
      });
      checkAspectRatio(object.aspectRatio, `${path}.aspectRatio`);
      return [{ ...blob, alt: asString(object.alt ?? "", `${path}.alt`) }];
    }
    case "app.bsky.embed.external": {
      const at = `${path}.external`;
      const card = asObject(required(object, "external", path), at);
      asString(required(card, "uri", at), `${at}.uri`, { name: "uri", pattern: URI });
      const alt = asString(required(card, "title", at), `${at}.title`);
      asString(required(card, "description", at), `${at}.description`);
      if (card.thumb === undefined) return [];
      const rule = { accept: "image/*", maxBytes: MAX_THUMB_BYTES };
      return [{ ...asBlob(card.thumb, `${at}.thumb`, rule), alt }];
    }
    case "app.bsky.embed.record":
      checkStrongRef(required(object, "record", path), `${path}.record`);
      return [];
    default:
      return type satisfies never;
  }
}

const FACET_FEATURES = [
  "app.bsky.richtext.facet#mention",
  "app.bsky.richtext.facet#link",
  "app.bsky.richtext.facet#tag",
] as const;

function checkFeature(value: unknown, path: string): void {
  const { type, object } = asTyped(value, path, FACET_FEATURES);
  switch (type) {
    case "app.bsky.richtext.facet#mention":
      asString(required(object, "did", path), `${path}.did`, { name: "DID", pattern: DID });
      return;
    case "app.bsky.richtext.facet#link":
      asString(required(object, "uri", path), `${path}.uri`, { name: "uri", pattern: URI });
      return;
    case "app.bsky.richtext.facet#tag":
      checkTag(required(object, "tag", path), `${path}.tag`);
      return;
    default:
      throw type satisfies never;
  }
}

const checkTag = (value: unknown, path: string) =>
  asLimitedString(value, path, MAX_TAG_BYTES, MAX_TAG_GRAPHEMES);

/**
 * Refuses facets that overlap, exceed the text or split a character. The real schema allows them,
 * and clients drop them.
 */
function checkFacets(value: unknown, text: string, path: string): void {
  const bytes = new TextEncoder().encode(text);
  const isBoundary = (offset: number) => ((bytes[offset] ?? 0) & 0xc0) !== 0x80;
  let end = 0;
  for (const [index, item] of asArray(value, path).entries()) {
    const at = `${path}[${index}]`;
    const facet = asObject(item, at);
    const slice = asObject(required(facet, "index", at), `${at}.index`);
    const [byteStart = 0, byteEnd = 0] = ["byteStart", "byteEnd"].map((key) =>
      asInteger(required(slice, key, `${at}.index`), `${at}.index.${key}`, 0),
    );
    if (byteStart >= byteEnd || byteEnd > bytes.length) {
      refuse(`Invalid byte range (${byteStart} to ${byteEnd} of ${bytes.length})`, `${at}.index`);
    }
    if (byteStart < end) refuse(`Overlapping byte range (starts before ${end})`, `${at}.index`);
    if (!isBoundary(byteStart) || !isBoundary(byteEnd)) {
      refuse(`Invalid byte range (splits a character)`, `${at}.index`);
    }
    end = byteEnd;
    const features = asArray(required(facet, "features", at), `${at}.features`);
    for (const [n, feature] of features.entries()) checkFeature(feature, `${at}.features[${n}]`);
  }
}

function checkLabels(value: unknown, path: string): void {
  const { object } = asTyped(value, path, ["com.atproto.label.defs#selfLabels"]);
  const values = asArray(required(object, "values", path), `${path}.values`, MAX_LABELS);
  for (const [index, item] of values.entries()) {
    const at = `${path}.values[${index}]`;
    asLimitedString(required(asObject(item, at), "val", at), `${at}.val`, MAX_LABEL_BYTES);
  }
}

/**
 * Refuses unknown fields as our mistake; the real schema allows them.
 *
 * @throws LexiconError with the first error
 */
export function readPost(value: unknown): PostRecord {
  const path = "$.record";
  const record = asTyped(value, path, [POST_COLLECTION]).object;
  const text = asLimitedString(
    required(record, "text", path),
    `${path}.text`,
    MAX_TEXT_BYTES,
    MAX_TEXT_GRAPHEMES,
  );
  asString(required(record, "createdAt", path), `${path}.createdAt`, {
    name: "datetime",
    pattern: DATETIME,
  });
  for (const key of Object.keys(record)) {
    if (!POST_FIELDS.includes(key)) {
      refuse(`Unexpected key "${key}"`, path);
    }
  }
  if (record.facets !== undefined) checkFacets(record.facets, text, `${path}.facets`);
  let replyTo: string | undefined;
  if (record.reply !== undefined) {
    const reply = asObject(record.reply, `${path}.reply`);
    for (const key of ["root", "parent"]) {
      checkStrongRef(required(reply, key, `${path}.reply`), `${path}.reply.${key}`);
    }
    replyTo = String(asObject(reply.parent, `${path}.reply.parent`).uri);
  }
  const blobs = record.embed === undefined ? [] : readEmbed(record.embed, `${path}.embed`);
  if (record.langs !== undefined) {
    for (const [i, lang] of asArray(record.langs, `${path}.langs`, MAX_LANGS).entries()) {
      asString(lang, `${path}.langs[${i}]`, { name: "language", pattern: LANGUAGE });
    }
  }
  if (record.labels !== undefined) checkLabels(record.labels, `${path}.labels`);
  if (record.tags !== undefined) {
    const tags = asArray(record.tags, `${path}.tags`, MAX_TAGS);
    for (const [i, tag] of tags.entries()) checkTag(tag, `${path}.tags[${i}]`);
  }
  return { text, blobs, replyTo, fields: record };
}
