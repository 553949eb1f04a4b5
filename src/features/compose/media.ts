import { formatCount } from "../../core/counts.ts";
import { type FieldError, fieldError, tooLarge } from "../../core/errors.ts";
import { isLongerThan } from "../../core/text.ts";
import type { Ctx, Deps } from "../../deps.ts";
import type { Fields, FilePart } from "../../http/multipart.ts";
import type { MediaKind, PostMedia } from "../../platforms/connector.ts";
import { type RawField, readJsonArray, readJsonList } from "../../platforms/kit/form-fields.ts";
import { kindOfAddress, UNKNOWN_FILE } from "../content/as-published.ts";
import { MAX_ALT_TEXT_CHARACTERS, MAX_URL_CHARACTERS } from "../content/bounds.ts";
import { measureFile, refusedMediaUrl, replaceIfGone, storeFile } from "../media/intake.ts";
import { isMediaId, type KnownFile, type MediaRow } from "../media/repo.ts";
import type { StoredFile } from "../media/table.ts";
import type { MediaRef } from "../posts/table.ts";
import { type Resolved, resolvePresigned } from "../presign/resolve.ts";
import type { MediaRole, NewMedia, NewPost } from "./new-post.ts";

/** `kind` is null while the URL does not show it. */
export type UnknownMedia = Omit<PostMedia, "kind"> & { kind: MediaKind | null };

export type CheckedMedia = { role: MediaRole } & (
  | { media: PostMedia; ref: MediaRef }
  | { refusal: FieldError }
);

/** Source: spec, POST /upload. */
const KINDS: Record<MediaRole, readonly MediaKind[]> = {
  photo: ["image", "video", "document"],
  video: ["video"],
  thumbnail: ["image"],
};

/**
 * Checks each file of a new post on its own. `files`: the team's stored files; `presigned`: files at addresses of this
 * instance.
 */
export const checkMedia = (
  deps: Pick<Deps, "config">,
  media: readonly NewMedia[],
  files: readonly MediaRow[],
  presigned: PresignedFiles,
): CheckedMedia[] =>
  media.map((item) => {
    const { role, field } = item;
    const refuse = (message: string): CheckedMedia => ({
      role,
      refusal: fieldError(field, message),
    });
    if ("refusal" in item) return refuse(item.refusal);
    const name = role === "thumbnail" ? { role } : {};
    const own = "url" in item ? presigned.get(item.url) : undefined;
    if (own && "refusal" in own) return refuse(own.refusal);
    if ("url" in item && !own) {
      const { url } = item;
      const reason = urlRefusal(deps, url);
      if (reason) return refuse(`the media URL ${reason}.`);
      // Only the URL's role is known here; the publishing job checks the file.
      const kind = role === "video" ? "video" : "image";
      return { role, media: { ...UNKNOWN_FILE, kind }, ref: { url, ...name } };
    }
    const file = own ?? storedFile(item, files);
    if (!file) return refuse(NOT_STORED);
    const { kind, sha256, contentSha256: content } = file;
    if (!KINDS[role].includes(kind)) {
      const kinds = KINDS[role].map(article).join(" or ");
      return refuse(`this is ${article(kind)}, not ${kinds}.`);
    }
    return { role, media: file, ref: { sha256, kind, ...(content ? { content } : {}), ...name } };
  });

const NOT_STORED =
  "the file is no longer stored, or is not of this team. Send it again, or use another.";

function storedFile(item: NewMedia, files: readonly MediaRow[]): StoredFile | MediaRow | undefined {
  if ("received" in item) return item.received;
  return "sha256" in item ? files.find(({ sha256 }) => sha256 === item.sha256) : undefined;
}

export const urlRefusal = (deps: Pick<Deps, "config">, url: string): string | null =>
  url.length > MAX_URL_CHARACTERS
    ? `has more than ${formatCount(MAX_URL_CHARACTERS)} characters`
    : refusedMediaUrl(deps, url);

export const isThumbnail = ({ role }: CheckedMedia): boolean => role === "thumbnail";

export const refusalsOf = (media: readonly CheckedMedia[]): FieldError[] =>
  media.flatMap((item) => ("refusal" in item ? [item.refusal] : []));

const article = (kind: MediaKind) => (kind === "image" ? "an image" : `a ${kind}`);

export type PresignedFiles = ReadonlyMap<string, Resolved>;

export interface CheckedFiles {
  media: readonly CheckedMedia[];
  presigned: PresignedFiles;
}

/** Source: Workers, "Limits": simultaneous open connections. */
const AT_ONCE = 6;

/** Reads each presigned file once, so that the post keeps the same content. */
export async function readPresigned(
  ctx: Pick<Ctx, "media" | "actor">,
  { media, overrides, origin }: Pick<NewPost, "media" | "overrides" | "origin">,
): Promise<PresignedFiles> {
  const named = [
    ...media.flatMap((item) => ("url" in item ? [item.url] : [])),
    ...Object.values(overrides).flatMap(({ thumbnailUrl }) => thumbnailUrl ?? []),
  ];
  const { teamId } = ctx.actor;
  const urls = [...new Set(named)];
  const files = new Map<string, Resolved>();
  for (let i = 0; i < urls.length; i += AT_ONCE) {
    await Promise.all(
      urls.slice(i, i + AT_ONCE).map(async (url) => {
        const file = await resolvePresigned(ctx, { origin, url, teamId });
        if (file) files.set(url, file);
      }),
    );
  }
  return files;
}

export const filesAmong = (presigned: PresignedFiles): StoredFile[] =>
  [...presigned.values()].flatMap((file) => ("refusal" in file ? [] : [file]));

/** Source: spec, POST /upload. */
const FILE_FIELDS = new Map<string, MediaRole>([
  ["photo", "photo"],
  ["file", "photo"],
  ["video", "video"],
  ["thumbnail", "thumbnail"],
]);

export const URL_FIELDS = new Map<string, MediaRole>([
  ...FILE_FIELDS,
  ["thumbnail_url", "thumbnail"],
]);

const ID_FIELDS = new Map<string, MediaRole>([
  ["mediaId", "photo"],
  ["thumbnailMediaId", "thumbnail"],
]);

export const isIdField = (field: string): boolean => ID_FIELDS.has(field);

const NO_ID = "must be the mediaId of a file, as GET /media lists them: 64 letters and digits.";

export function namedFile(id: string, field: string): NewMedia {
  const role = ID_FIELDS.get(field) ?? "photo";
  return isMediaId(id) ? { role, field, sha256: id } : { role, field, refusal: NO_ID };
}

/** A URL that does not end like a video's is inspected by the publishing job. */
export const mediaAt = (url: string, field: string, isOnly: boolean): NewMedia => ({
  role: isOnly && kindOfAddress(url) === "video" ? "video" : "photo",
  field,
  url,
});

export const namedFiles = (fields: Fields): NewMedia[] =>
  [...ID_FIELDS.keys()].flatMap((field) =>
    (fields.get(field) ?? [])
      .map((id) => id.trim())
      .filter((id) => id !== "")
      .map((id) => namedFile(id, field)),
  );

/** A part of a form that holds or names a file. */
export interface FormPart {
  field: string;
  isFile: boolean;
}

/** @param received the files of the parts that are files, in their order */
export function inFormOrder(
  parts: readonly FormPart[],
  received: readonly NewMedia[],
  fields: Fields,
): NewMedia[] {
  const files = [...received];
  const named = Map.groupBy(namedFiles(fields), ({ field }) => field);
  const inOrder = parts.flatMap(({ field, isFile }) => {
    const next = isFile ? files.shift() : named.get(field)?.shift();
    return next ?? [];
  });
  return [...inOrder, ...files];
}

/** Source: spec, "Limits": file part in POST /upload. */
const MAX_FILE_BYTES = 100_000_000;

export const urlsIn = (
  fields: Fields,
  named: ReadonlyMap<string, MediaRole> = URL_FIELDS,
): NewMedia[] =>
  [...fields].flatMap(([field, values]) => {
    const role = named.get(field);
    if (!role) return [];
    const urls = values.map((value) => value.trim()).filter((url) => url !== "");
    return urls.map((url) => ({ role, field, url }));
  });

/** @throws AppError 413 */
export async function takeFile(
  ctx: Ctx,
  part: FilePart,
  storesFiles: boolean,
  fields: ReadonlyMap<string, MediaRole> = FILE_FIELDS,
): Promise<NewMedia> {
  const { field, name, bytes } = part;
  const role = fields.get(field);
  const refuse = (refusal: string): NewMedia => ({ role: role ?? "photo", field, refusal });
  if (!role) {
    for await (const _ of bytes);
    return refuse(`is not a file field. Use ${[...fields.keys()].join(", ")}.`);
  }
  const taken = storesFiles
    ? await storeFile(ctx, ctx.actor.teamId, bytes, MAX_FILE_BYTES, name)
    : await measureFile(bytes, MAX_FILE_BYTES, name);
  if (taken === "too_large") throw tooLarge(`${field}: a file must be under 100 MB.`);
  if (taken === "empty") return refuse("the file is empty.");
  if (taken === "unknown_type") {
    return refuse("the file is not an image, video or document of a known type.");
  }
  return { role, field, received: taken };
}

export const receivedFiles = (media: readonly NewMedia[]): StoredFile[] =>
  media.flatMap((item) => ("received" in item ? [item.received] : []));

async function discard({ media }: Ctx, files: readonly StoredFile[]): Promise<void> {
  if (files.length > 0) await media.delete(files.map(({ objectKey }) => objectKey));
}

/** Deduplicates files by content. `pinned`: presigned files. */
export const filesToStore = (
  media: readonly NewMedia[],
  pinned: readonly StoredFile[],
): StoredFile[] => [
  ...new Map([...receivedFiles(media), ...pinned].map((file) => [file.sha256, file])).values(),
];

/**
 * Deletes received files whose content was stored already. A file whose stored object is gone, as after a restore
 * without files, gets the received one.
 *
 * @param known what the write answered
 */
export async function keepReceived(
  ctx: Ctx,
  media: readonly NewMedia[],
  files: readonly StoredFile[],
  known: readonly KnownFile[],
): Promise<void> {
  const received = receivedFiles(media);
  const keys = new Set(known.map(({ objectKey }) => objectKey));
  for (const file of files.filter((one) => received.includes(one) && !keys.has(one.objectKey))) {
    const stored = known.find(({ sha256 }) => sha256 === file.sha256);
    if (stored && (await replaceIfGone(ctx, ctx.actor.teamId, file, stored.objectKey))) {
      keys.add(file.objectKey);
    }
  }
  ctx.defer(
    discard(
      ctx,
      received.filter(({ objectKey }) => !keys.has(objectKey)),
    ),
  );
}

export const discardFiles = (ctx: Ctx, media: readonly NewMedia[]): Promise<void> =>
  discard(ctx, receivedFiles(media));

export const ALT_TEXT_FIELD = "alt_text";
const NOT_TEXTS = 'a JSON array has texts alone; send "" for a file without one.';

/** A string describes every file; a list describes each file by its position. */
export const readAltTexts = (raw: RawField): string | string[] =>
  typeof raw === "string" ? (readJsonList(raw) ?? raw) : (raw ?? []);

const isMixedList = (raw: RawField): boolean =>
  typeof raw === "string" && readJsonArray(raw) !== null && readJsonList(raw) === null;

export const isFilled = (text: unknown): text is string =>
  typeof text === "string" && text.trim() !== "";

export function altTextErrors(raw: RawField, files: number, field = ALT_TEXT_FIELD): FieldError[] {
  if (isMixedList(raw)) return [fieldError(field, NOT_TEXTS)];
  const texts = [readAltTexts(raw)].flat();
  const count = texts.findLastIndex(isFilled) + 1;
  const max = MAX_ALT_TEXT_CHARACTERS;
  const long = texts.findIndex((text) => isLongerThan(text, max));
  return [
    ...(count > files
      ? [fieldError(field, `send at most one for each file (${files} here); ${count} were sent.`)]
      : []),
    ...(long === -1
      ? []
      : [
          fieldError(
            field,
            `that of file ${long + 1} must have at most ${formatCount(max)} characters.`,
          ),
        ]),
  ];
}

export const isFile = ({ role }: CheckedMedia): boolean => role !== "thumbnail";

export const countFiles = (media: readonly CheckedMedia[]): number => media.filter(isFile).length;
