import { sha256Hex } from "../../core/signature.ts";
import type { MediaRef, UploadRow } from "../posts/table.ts";

type Content = Pick<UploadRow, "accountId" | "title" | "description" | "settings" | "media">;

/**
 * Returns a name for a file of a post that is the same before and after its download: a file sent by URL
 * keeps the URL as its name.
 */
export const nameOfFile = (item: MediaRef): string =>
  "url" in item ? item.url : (item.from ?? item.sha256);

/** Hashes the content that an approval is bound to: text, files, account and settings. */
export function contentHash(upload: Content): Promise<string> {
  const { accountId, title, description, settings, media } = upload;
  const files = media.map(nameOfFile);
  const sorted = Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256Hex(JSON.stringify([accountId, title, description, sorted, files]));
}

type Versioned = Pick<
  UploadRow,
  "accountId" | "title" | "description" | "settings" | "media" | "scheduledFor"
>;

/** Parts of a post that can differ between two of its versions, by their names in answers. */
export const VERSION_PARTS = ["title", "description", "settings", "files", "scheduledFor"] as const;
export type VersionPart = (typeof VERSION_PARTS)[number];

function textsOf(post: Versioned): Record<VersionPart, string> {
  const settings = Object.entries(post.settings).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    title: JSON.stringify(post.title),
    description: JSON.stringify(post.description),
    settings: JSON.stringify(settings),
    files: JSON.stringify(post.media.map(nameOfFile)),
    scheduledFor: JSON.stringify(post.scheduledFor),
  };
}

const MARK_DIGITS = 4;

/** A short checksum (FNV-1a), which tells two texts apart nearly always and guards nothing. */
function markOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0").slice(-MARK_DIGITS);
}

/**
 * Names what an approval of the post lets out: text, files, account, settings and date. A SHA-256 of all, by which
 * versions are compared; then a checksum of each part, which says what differs.
 *
 * Spec is silent. The date counts here and not for `approvedHash`: the approver has read it, while a post that is
 * approved may be moved by people who may approve.
 */
export async function versionOf(post: Versioned): Promise<string> {
  const texts = textsOf(post);
  const hash = await sha256Hex(JSON.stringify([post.accountId, texts]));
  return `${hash}-${VERSION_PARTS.map((part) => markOf(texts[part])).join("")}`;
}

const VERSION = /^[0-9a-f]{64}-([0-9a-f]{20})$/;

/** Returns the parts that differ between two versions of a post; none where one is no version at all. */
export function changedParts(before: string, after: string): VersionPart[] {
  const [marks, others] = [before, after].map((version) => VERSION.exec(version)?.[1]);
  if (marks === undefined || others === undefined) return [];
  return VERSION_PARTS.filter((_, i) => {
    const at = i * MARK_DIGITS;
    return marks.slice(at, at + MARK_DIGITS) !== others.slice(at, at + MARK_DIGITS);
  });
}

/** Names parts in a sentence. */
export const inWords = (parts: readonly VersionPart[]): string =>
  parts.map((part) => (part === "scheduledFor" ? "scheduledFor (the date)" : part)).join(", ");
