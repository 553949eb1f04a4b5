import { sha256Hex } from "../../core/signature.ts";
import { DAY } from "../../core/time.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { isDraft } from "../posts/rules.ts";
import type { MediaRef, PostDigest, UploadRow } from "../posts/table.ts";

/** Source: spec, "Daily posting caps": duplicate or very similar content within 48 hours. */
export const DUPLICATE_WINDOW_MS = 2 * DAY;

/** Returns the name by which a file is compared: its content where that is known. */
const comparedName = (item: MediaRef): string =>
  "url" in item ? item.url : (item.content ?? item.sha256);

/** Returns the files of a post as they are compared, whatever their order. The thumbnail of a video is left out. */
export const comparedFiles = (
  media: readonly MediaRef[],
  nameOf: (item: MediaRef) => string = comparedName,
): string[] =>
  media
    .filter(({ role }) => role === undefined)
    .map(nameOf)
    .sort();

/** Adds a post's files to the digest of its text. */
export const withFiles = async (
  text: PostDigest,
  media: readonly MediaRef[],
): Promise<PostDigest> => ({ ...text, files: await sha256Hex(comparedFiles(media).join(" ")) });

/** The place that a post takes: no other of its account goes out with the same text and files around its time. */
export interface Claim {
  accountId: string;
  /** The same for posts of the account with the same text and files. */
  key: string;
  at: Date;
  /** The post itself; null before it is stored. */
  uploadId: number | null;
}

type Claimant = Pick<UploadRow, "accountId" | "platform" | "status" | "textDigest">;

/** Returns the name of a post's text and files within its account; null for a digest without files. */
export const claimKey = (accountId: string, digest: PostDigest | null): string | null =>
  digest?.files === undefined ? null : `${accountId} ${digest.hash} ${digest.files}`;

/**
 * Returns the claim of a post that is to go out at `at`. Null for one that waits for a decision, and where the
 * platform has a rule of its own, which is applied when the post goes out.
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
