import { plainMentions, splitAtMentions } from "../../core/mentions.ts";
import type { Platform } from "../../core/platforms.ts";
import { sha256Hex } from "../../core/signature.ts";
import { countUtf8Bytes } from "../../core/text.ts";
import { DAY } from "../../core/time.ts";
import { isDraft } from "../../core/upload-status.ts";
import type { RepeatRule } from "../../platforms/connector.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { nameOfFile } from "../content/version.ts";
import type { MediaRef, PostDigest, UploadRow } from "../posts/table.ts";
import type { Violation } from "./rules.ts";

/** Source: spec, "Daily posting caps": duplicate or very similar content. */
export const DUPLICATE_WINDOW_MS = 2 * DAY;

/** A file's content hash where known, else its stored hash; before the download, its URL. */
const comparedName = (item: MediaRef): string =>
  "url" in item ? item.url : (item.content ?? item.sha256);

/** Sorted, without a video's thumbnail. */
export const comparedFiles = (
  media: readonly MediaRef[],
  nameOf: (item: MediaRef) => string = comparedName,
): string[] =>
  media
    .filter(({ role }) => role === undefined)
    .map(nameOf)
    .sort();

export const withFiles = async (
  text: PostDigest,
  media: readonly MediaRef[],
): Promise<PostDigest> => ({ ...text, files: await sha256Hex(comparedFiles(media).join(" ")) });

/** A claim on a text with its files: no other post of the account may have both within the duplicate window. */
export interface Claim {
  accountId: string;
  key: string;
  at: Date;
  /** Null before the post is stored. */
  uploadId: number | null;
}

type Claimant = Pick<UploadRow, "accountId" | "platform" | "status" | "textDigest">;

/** Null for a digest without files. */
export const claimKey = (accountId: string, digest: PostDigest | null): string | null =>
  digest?.files === undefined ? null : `${accountId} ${digest.hash} ${digest.files}`;

/**
 * The claim of a post that is published at `at`. Null for a post that awaits a decision, and for platforms with a
 * repeat rule of their own, which applies at publishing.
 */
export function claimOf(
  { accountId, platform, status, textDigest }: Claimant,
  at: Date,
  uploadId: number | null = null,
): Claim | null {
  const key = claimKey(accountId, textDigest);
  if (key === null || isDraft(status) || connectorOf(platform).repeatRule) return null;
  return { accountId, key, at, uploadId };
}

/** Published or planned; compared with a new post. */
export interface RecentPost {
  id: number;
  accountId: string;
  /** The text, or a long text's beginning and end (`sampleOf`). */
  sample: string;
  sizeBytes: number;
  /** Null for posts older than digests. */
  digest: PostDigest | null;
  media: MediaRef[];
  at: Date;
}

export const eachOnce = (posts: readonly RecentPost[]): RecentPost[] => [
  ...new Map(posts.map((post) => [post.id, post])).values(),
];

interface Candidate {
  platform: Platform;
  text: PreparedText;
  media: readonly MediaRef[];
  at: Date;
  blocklist: readonly string[];
}

/** Spec is silent, also on the next figures up to MIN_SIMILARITY. */
const MENTION_WINDOW_MS = DAY;
const MAX_MENTIONS = 20;
const MAX_POSTS_PER_MENTION = 5;
const MIN_COMPARED_CHARACTERS = 20;
const MIN_SIMILARITY = 0.9;

export const textOf = ({ title, description }: Pick<UploadRow, "title" | "description">) =>
  [title, description].filter((part) => part !== null).join("\n");

const MENTION = /(?<![\p{L}\p{N}_.@/])@[a-z0-9_][a-z0-9_.-]*/giu;

export const essence = (text: string): string =>
  plainMentions(text)
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");

/** Longer texts are compared by SAMPLE_CHARACTERS at either end. */
export const COMPARED_WHOLE_BYTES = 2_000;
export const SAMPLE_CHARACTERS = 1_000;

function sampleOf(text: string): string {
  if (countUtf8Bytes(text) <= COMPARED_WHOLE_BYTES) return text;
  // The database counts characters of at most two UTF-16 units.
  const first = Array.from(text.slice(0, 2 * SAMPLE_CHARACTERS)).slice(0, SAMPLE_CHARACTERS);
  const last = Array.from(text.slice(-2 * SAMPLE_CHARACTERS)).slice(-SAMPLE_CHARACTERS);
  return [...first, ...last].join("");
}

export interface PreparedText {
  text: string;
  sizeBytes: number;
  digest: PostDigest;
  mentions: string[];
  letters: string;
  trigrams: Set<string>;
}

export const toRecentPost = (
  { text: { text, sizeBytes, digest }, media, at }: Pick<Candidate, "text" | "media" | "at">,
  { id, accountId }: Pick<RecentPost, "id" | "accountId">,
): RecentPost => ({
  id,
  accountId,
  sample: sampleOf(text),
  sizeBytes,
  digest,
  at,
  media: [...media],
});

export async function prepareText(text: string): Promise<PreparedText> {
  const letters = essence(sampleOf(text));
  const mentions = mentionsIn(text);
  return {
    text: plainMentions(text),
    sizeBytes: countUtf8Bytes(text),
    // Texts without letters or digits are compared unchanged.
    digest: {
      hash: await sha256Hex(essence(text) || `\0${text.trim()}`),
      mentions: [...new Set(mentions)].slice(0, MAX_MENTIONS),
    },
    mentions,
    letters,
    trigrams: trigramsOf(letters),
  };
}

/** Recomputes the digest of a post that predates file digests. */
export const digestOf = async ({
  textDigest,
  media,
  ...texts
}: Pick<UploadRow, "title" | "description" | "media" | "textDigest">): Promise<PostDigest> =>
  textDigest?.files === undefined
    ? withFiles((await prepareText(textOf(texts))).digest, media)
    : textDigest;

export function createPreparer(): (text: string) => Promise<PreparedText> {
  const prepared = new Map<string, Promise<PreparedText>>();
  return (text) => {
    const result = prepared.get(text) ?? prepareText(text);
    prepared.set(text, result);
    return result;
  };
}

export function trigramsOf(text: string): Set<string> {
  const trigrams = new Set<string>();
  for (let i = 0; i + 3 <= text.length; i++) trigrams.add(text.slice(i, i + 3));
  return trigrams;
}

export function isAlike(trigrams: ReadonlySet<string>, other: string): boolean {
  const mostStrange = trigrams.size / MIN_SIMILARITY - trigrams.size;
  const seen = new Set<string>();
  let strange = 0;
  for (let i = 0; i + 3 <= other.length; i++) {
    const run = other.slice(i, i + 3);
    if (seen.has(run)) continue;
    seen.add(run);
    if (!trigrams.has(run) && ++strange > mostStrange) return false;
  }
  const shared = seen.size - strange;
  return shared > 0 && shared / (trigrams.size + strange) >= MIN_SIMILARITY;
}

const isNearInLength = (a: number, b: number): boolean =>
  Math.min(a, b) >= Math.max(a, b) * MIN_SIMILARITY;

function isSameText(mine: PreparedText, other: RecentPost): boolean {
  if (other.digest) {
    if (other.digest.hash === mine.digest.hash) return true;
    if (mine.letters.length < MIN_COMPARED_CHARACTERS) return false;
  }
  const bothLong = Math.min(mine.sizeBytes, other.sizeBytes) > COMPARED_WHOLE_BYTES;
  if (bothLong && !isNearInLength(mine.sizeBytes, other.sizeBytes)) return false;
  const letters = essence(other.sample);
  if (letters === mine.letters && !bothLong) {
    return letters !== "" || other.sample.trim() === mine.text.trim();
  }
  if (Math.min(letters.length, mine.letters.length) < MIN_COMPARED_CHARACTERS) return false;
  return isNearInLength(letters.length, mine.letters.length) && isAlike(mine.trigrams, letters);
}

/** Before the download, only URLs can be compared. */
const hasSameFiles = (media: readonly MediaRef[], other: readonly MediaRef[]): boolean =>
  [undefined, nameOfFile].some(
    (nameOf) => comparedFiles(media, nameOf).join(" ") === comparedFiles(other, nameOf).join(" "),
  );

const mentionsIn = (text: string): string[] =>
  splitAtMentions(text).flatMap((part) =>
    typeof part === "string"
      ? (part.match(MENTION) ?? []).map((one) => one.toLowerCase())
      : [part.urn],
  );

const within = (a: Date, b: Date, ms: number): boolean => Math.abs(a.getTime() - b.getTime()) <= ms;

export function duplicate(
  post: Omit<Candidate, "blocklist">,
  recent: readonly RecentPost[],
): Violation[] {
  // The platform's own repeat rule is checked at publishing.
  if (connectorOf(post.platform).repeatRule) return [];
  const same = recent.find(
    (other) =>
      within(other.at, post.at, DUPLICATE_WINDOW_MS) &&
      hasSameFiles(other.media, post.media) &&
      isSameText(post.text, other),
  );
  return same ? [duplicateOf(post.platform, same)] : [];
}

export function duplicateOf(
  platform: Platform,
  { id: uploadId, at }: Pick<RecentPost, "id" | "at">,
): Violation {
  const message = `Post ${uploadId} of this account, at ${at.toISOString()}, is the same or very similar. Change the text or the files.`;
  return { platform, type: "duplicate_content", message, uploadId };
}

function mentionSpam(post: Candidate, recent: readonly RecentPost[]): Violation[] {
  const violation = (message: string): Violation[] => [
    { platform: post.platform, type: "mention_spam", message },
  ];
  const { mentions } = post.text;
  if (mentions.length > MAX_MENTIONS) {
    return violation(
      `The post mentions ${mentions.length} accounts; at most ${MAX_MENTIONS} are allowed.`,
    );
  }
  if (mentions.length === 0) return [];
  const others = recent
    .filter((other) => within(other.at, post.at, MENTION_WINDOW_MS))
    .map((other) => new Set(other.digest?.mentions ?? mentionsIn(other.sample)));
  const often = [...new Set(mentions)].find(
    (mention) =>
      others.filter((mentioned) => mentioned.has(mention)).length + 1 >= MAX_POSTS_PER_MENTION,
  );
  if (!often) return [];
  return violation(
    `${often} would be mentioned in ${MAX_POSTS_PER_MENTION} posts of the account within 24 hours; at most ${MAX_POSTS_PER_MENTION - 1} are allowed.`,
  );
}

function unsafe(post: Candidate): Violation[] {
  if (post.blocklist.length === 0) return [];
  const text = post.text.text.toLowerCase();
  const word = post.blocklist.find((one) => text.includes(one));
  if (!word) return [];
  const message = `The text contains "${word}", which is on the team's blocklist.`;
  return [{ platform: post.platform, type: "unsafe_content", message }];
}

export const contentViolations = (post: Candidate, recent: readonly RecentPost[]): Violation[] => [
  ...duplicate(post, recent),
  ...mentionSpam(post, recent),
  ...unsafe(post),
];

const MIN_LETTERS = 20;

type ComparedPost = Pick<UploadRow, "title" | "description" | "media">;

type PublishedPost = ComparedPost & Pick<UploadRow, "id" | "uploadedAt">;

const filesOf = ({ media }: ComparedPost): string[] =>
  media.flatMap((item) =>
    "sha256" in item && item.role === undefined ? [item.content ?? item.sha256] : [],
  );

export async function repeatRefusal(
  { refusal, reader }: RepeatRule,
  post: ComparedPost,
  earlier: readonly PublishedPost[],
): Promise<string | null> {
  const { textOf } = await reader();
  const text = essence(textOf(post));
  const isLong = [...text].length >= MIN_LETTERS;
  const files = new Set(filesOf(post));
  for (const other of earlier) {
    const what = filesOf(other).some((file) => files.has(file))
      ? "a file"
      : isLong && essence(textOf(other)) === text
        ? "the text"
        : null;
    if (what) {
      return other.uploadedAt
        ? `${refusal}: ${what} of this post was already in a post of ${other.uploadedAt.toISOString()}.`
        : `${refusal}: ${what} of this post is in post ${other.id}, which is being published.`;
    }
  }
  return null;
}
