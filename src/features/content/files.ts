import { namesOwnDomain } from "../../config.ts";
import { AppError } from "../../core/errors.ts";
import { isDraft } from "../../core/upload-status.ts";
import type { Deps } from "../../deps.ts";
import type { Post } from "../../platforms/connector.ts";
import { connectorOf } from "../../platforms/registry.ts";
import type { AccountRow } from "../accounts/table.ts";
import type { MediaRef, UploadRow } from "../posts/table.ts";

/** Null when the platform can pull the post's files from this instance. */
export function pullRefusal(
  { config }: Pick<Deps, "config">,
  { platform, mode }: Pick<AccountRow, "platform" | "mode">,
  post: Post,
): string | null {
  const { verifiedPull } = connectorOf(platform);
  if (mode === "sandbox" || !verifiedPull?.isNeeded(post)) return null;
  return namesOwnDomain(config) ? null : verifiedPull.refusal;
}

type WithFiles = Pick<UploadRow, "platform" | "settings" | "media">;

type Elsewhere = Extract<MediaRef, { url: string }>;

/** Includes files whose URLs stand in settings. */
export function filesToApprove({ platform, settings, media }: WithFiles): MediaRef[] {
  const named = Object.keys(connectorOf(platform).settingFiles ?? {}).flatMap((setting) => {
    const url = settings[setting];
    const isThere = media.some((item) => item.setting === setting);
    return typeof url === "string" && !isThere ? [{ url, role: "setting" as const, setting }] : [];
  });
  return [...media, ...named];
}

export const isElsewhere = (item: MediaRef): item is Elsewhere => "url" in item && !item.isGone;

export const needsDownload = (post: WithFiles): boolean => filesToApprove(post).some(isElsewhere);

/**
 * Job columns of a post that begins to await approval. Its files are downloaded at once, so that the approver sees what
 * goes out.
 */
export const downloadDue = (post: WithFiles, now: Date) => {
  const at = needsDownload(post) ? now : null;
  return { dueAt: at, wokenAt: at };
};

export interface FileDownload {
  state: "waiting" | "failed";
  message: string;
}

/** Wait before an approver retries. Spec is silent: most downloads take a few seconds. */
export const LOOK_AGAIN_SECONDS = 30;

const WAITING: FileDownload = {
  state: "waiting",
  message: `A file of the post is still being downloaded. It can be approved once the file is here: try again in ${LOOK_AGAIN_SECONDS} seconds.`,
};

/** Null when the post has no file to download before its approval. */
export function downloadOf(post: WithFiles & Pick<UploadRow, "status">): FileDownload | null {
  if (!isDraft(post.status)) return null;
  const files = filesToApprove(post).filter(isElsewhere);
  const failed = files.find(({ problem }) => problem !== undefined);
  if (!failed) return files.length > 0 ? WAITING : null;
  const name = failed.setting ?? failed.url;
  const message = `${failed.problem} (${name}) Submit the post again to download the file anew, or create the post again with another file.`;
  return { state: "failed", message };
}

/**
 * Requires that all files are stored, because the file behind a URL can change after the approval.
 *
 * @throws AppError MEDIA_PENDING, MEDIA_UNREACHABLE
 */
export function requireStored(post: WithFiles & Pick<UploadRow, "status">): void {
  const download = downloadOf(post);
  if (!download) return;
  const { state, message } = download;
  if (state === "failed") throw new AppError("MEDIA_UNREACHABLE", message);
  const headers = { "Retry-After": String(LOOK_AGAIN_SECONDS) };
  throw new AppError("MEDIA_PENDING", message, { headers });
}

/** True for a post that lacks files and has no download scheduled. */
export const isDownloadOver = (post: UploadRow): boolean =>
  post.dueAt === null && needsDownload(post);

export function downloadAnew(post: UploadRow, now: Date): Partial<UploadRow> {
  const media = post.media.map((item) => {
    if (!("url" in item)) return item;
    const { problem: _, ...rest } = item;
    return rest;
  });
  return { media, dueAt: now, wokenAt: now, backoffs: 0, crashes: 0 };
}
