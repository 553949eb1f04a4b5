import { sha256Hex } from "../../core/signature.ts";
import type { PartKind } from "../../platforms/part-kinds.ts";
import type { MediaRef, UploadRow } from "../posts/table.ts";

type Content = Pick<
  UploadRow,
  "accountId" | "title" | "description" | "settings" | "media" | "parts"
>;

const contentOfParts = ({ parts }: Pick<UploadRow, "parts">): unknown[] =>
  (parts ?? []).map(({ kind, text, media }) => [kind, text, media]);

/** Stays the same after the download: a file sent by URL keeps the URL as its name. */
export const nameOfFile = (item: MediaRef): string =>
  "url" in item ? item.url : (item.from ?? item.sha256);

const nameWithAltText = (item: MediaRef): unknown =>
  item.altText === undefined ? nameOfFile(item) : [nameOfFile(item), item.altText];

/** Covers what an approval covers: text, files, account and settings. */
export function contentHash(upload: Content): Promise<string> {
  const { accountId, title, description, settings, media } = upload;
  const files = media.map(nameWithAltText);
  const sorted = Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = contentOfParts(upload);
  const content = [accountId, title, description, sorted, files];
  return sha256Hex(JSON.stringify(parts.length > 0 ? [...content, parts] : content));
}

type Versioned = Content & Pick<UploadRow, "scheduledFor">;

const POST_PARTS = ["title", "description", "settings", "files", "scheduledFor"] as const;
export const VERSION_PARTS = [...POST_PARTS, "thread", "first_comment"] as const;
export type VersionPart = (typeof VERSION_PARTS)[number];

function textsOf(post: Versioned): Record<VersionPart, string> {
  const settings = Object.entries(post.settings).sort(([a], [b]) => (a < b ? -1 : 1));
  const partsOf = (kind: PartKind) =>
    JSON.stringify(
      contentOfParts({ parts: (post.parts ?? []).filter((one) => one.kind === kind) }),
    );
  return {
    title: JSON.stringify(post.title),
    description: JSON.stringify(post.description),
    settings: JSON.stringify(settings),
    files: JSON.stringify(post.media.map(nameWithAltText)),
    scheduledFor: JSON.stringify(post.scheduledFor),
    thread: partsOf("post"),
    first_comment: partsOf("comment"),
  };
}

const MARK_DIGITS = 4;

/** A checksum (FNV-1a) that detects changes, not for security. */
function markOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0").slice(-MARK_DIGITS);
}

/**
 * The version that an approval names: a SHA-256 of text, files, account, settings and date, then a checksum of each
 * part, which shows what changed.
 *
 * Spec is silent. Unlike the version, `approvedHash` leaves out the date, because people who may approve can move an
 * approved post.
 */
export async function versionOf(post: Versioned): Promise<string> {
  const { thread, first_comment, ...texts } = textsOf(post);
  const hasParts = (post.parts ?? []).length > 0;
  const whole = hasParts ? { ...texts, thread, first_comment } : texts;
  const hash = await sha256Hex(JSON.stringify([post.accountId, whole]));
  return `${hash}-${Object.values(whole).map(markOf).join("")}`;
}

const VERSION = /^[0-9a-f]{64}-([0-9a-f]{20}(?:[0-9a-f]{8})?)$/;
const NO_PARTS = markOf("[]").repeat(2);
const DIGITS = VERSION_PARTS.length * MARK_DIGITS;

/** Returns no parts for a malformed version. */
export function changedParts(before: string, after: string): VersionPart[] {
  const [marks, others] = [before, after].map((version) => {
    const digits = VERSION.exec(version)?.[1];
    return digits && (digits + NO_PARTS).slice(0, DIGITS);
  });
  if (marks === undefined || others === undefined) return [];
  return VERSION_PARTS.filter((_, i) => {
    const at = i * MARK_DIGITS;
    return marks.slice(at, at + MARK_DIGITS) !== others.slice(at, at + MARK_DIGITS);
  });
}

export const inWords = (parts: readonly VersionPart[]): string =>
  parts.map((part) => (part === "scheduledFor" ? "scheduledFor (the date)" : part)).join(", ");
