import type { MediaItem, Prepared } from "../connector.ts";
import { next } from "../kit/steps.ts";
import { readDoneReply } from "./api.ts";
import type { FilesPlace } from "./bookmark.ts";
import { toRefused, toUploadRefused } from "./failures.ts";
import { initializeFileRequest, putFileRequest, readInitializeFileReply } from "./media-api.ts";
import { beginProcessing, type Job } from "./processing.ts";

/** May be repeated: LinkedIn drops unused upload URLs. */
export async function sendFile(job: Job, item: MediaItem, at: FilesPlace): Promise<Prepared> {
  const kind = item.kind === "document" ? "document" : "image";
  const owner = job.account.platformAccountId;
  const opened = await readInitializeFileReply(
    await job.fetch(initializeFileRequest(job.accessToken, kind, owner)),
    kind,
  );
  if (!opened.ok) return toRefused(opened.error);
  const { urn, uploadUrl } = opened.value;
  const data = await job.readMedia(item);
  const { mime, sizeBytes } = item;
  const request = putFileRequest(job.accessToken, uploadUrl, { data, mime, sizeBytes });
  const taken = await readDoneReply(await job.fetch(request));
  if (!taken.ok) {
    // A retry sends only this file again, to a new upload URL.
    const { restart: _, ...refused } = toUploadRefused(taken.error);
    return refused;
  }
  const assets = [...at.assets, urn];
  if (assets.length < job.post.media.length) return next({ ...at, assets });
  return beginProcessing(job, assets);
}
