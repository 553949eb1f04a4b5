import { PublishFailure } from "../../core/failures.ts";
import { SECOND } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import type { Connector, Fetch, MediaItem, PublishJob } from "../../platforms/connector.ts";
import type { Credentials } from "../../platforms/login.ts";
import { loginFetch, toPublishAccount } from "../accounts/platform-access.ts";
import type { AccountRow } from "../accounts/table.ts";
import { mediaPath } from "../media/address.ts";
import { DAMAGED, fileIsGone, openFile } from "../media/read.ts";
import type { MediaRow } from "../media/repo.ts";
import type { MediaRef, UploadRow } from "../posts/table.ts";
import { endsIn, Lease, msUntil, throughTransfer } from "./lease.ts";

/** Longest transfer of one file, in seconds; the budget of an invocation leaves room for one such step. */
const TRANSFER_SECONDS = 10 * 60;

const toMediaItem = ({ kind, mime, sizeBytes, sha256, width, height }: MediaRow): MediaItem => ({
  kind,
  mime,
  sizeBytes,
  sha256,
  width,
  height,
});

/** The files of a post in its order. Files that are still at a URL are not among them. */
export function filesOf(refs: readonly MediaRef[], media: readonly MediaRow[]): MediaItem[] {
  return refs.flatMap((item) => {
    if (!("sha256" in item)) return [];
    const file = media.find(({ sha256 }) => sha256 === item.sha256);
    if (!file) throw fileIsGone();
    return [toMediaItem(file)];
  });
}

/** The stored files that settings name, by setting. */
const settingFilesOf = (refs: readonly MediaRef[], media: readonly MediaRow[]) =>
  Object.fromEntries(
    refs.flatMap((item) =>
      item.setting === undefined
        ? []
        : filesOf([item], media).map((file) => [item.setting, file] as const),
    ),
  );

/**
 * Before anybody is asked for anything: the platform would refuse the file, each in its own way.
 *
 * @throws PublishFailure media_invalid
 */
export function requireReadable(media: readonly MediaRow[]): void {
  if (!media.some(({ isDamaged }) => isDamaged)) return;
  throw new PublishFailure({ code: "media_invalid", message: DAMAGED });
}

/** Nobody is sent to a file that another took the place of. @throws PublishFailure media_invalid */
async function requirePinned(
  deps: Pick<Deps, "media">,
  media: readonly MediaRow[],
  { sha256 }: MediaItem,
): Promise<void> {
  const file = media.find((one) => one.sha256 === sha256);
  if (!file || file.etag === null) return;
  const { body } = await openFile(deps, file, { offset: 0, length: 1 });
  await body.cancel();
}

/** A post as its connector gets it. */
export function createJob(
  deps: Deps,
  connector: Connector,
  held: { upload: UploadRow; account: AccountRow; media: MediaRow[] },
  credentials: Credentials,
): PublishJob {
  const { upload, account, media } = held;
  const network = loginFetch(deps, account, credentials, upload.id);
  const lease = new Lease(deps, upload);
  const readMedia: PublishJob["readMedia"] = async (item, range) => {
    const file = media.find(({ sha256 }) => sha256 === item.sha256);
    if (!file) throw fileIsGone();
    return (await openFile(deps, file, range)).body;
  };
  return {
    post: {
      title: upload.title,
      description: upload.description,
      media: filesOf(
        upload.media.filter(({ role }) => role === undefined),
        media,
      ),
      thumbnail:
        filesOf(
          upload.media.filter(({ role }) => role === "thumbnail"),
          media,
        ).at(-1) ?? null,
      settings: upload.settings,
      settingFiles: settingFilesOf(upload.media, media),
    },
    account: toPublishAccount(account),
    accessToken: credentials.accessToken,
    uploadId: upload.id,
    attempt: upload.attempt,
    now: deps.now,
    fetch: withDeadline(network, connector.timing.callSeconds, lease),
    readMedia,
    transfer: async (item, toRequest) => {
      const transfer = lease.begin(TRANSFER_SECONDS);
      const { body, stop } = throughTransfer(await readMedia(item), transfer);
      try {
        const { signal } = transfer;
        return await network(toRequest(body), { signal, redirect: "manual" });
      } finally {
        stop();
      }
    },
    mediaUrl: async (item, form = "original") => {
      await requirePinned(deps, media, item);
      const origin = deps.config.publicUrl ?? upload.origin;
      return origin + (await mediaPath(deps, upload.teamId, item.sha256, form));
    },
    inspectVideo: async (item) => {
      const file = media.find(({ sha256 }) => sha256 === item.sha256);
      // Loaded by the jobs that need it: it stands on the largest library of all.
      const { inspectVideo } = await import("../media/inspect.ts");
      return file ? inspectVideo(deps, file, item) : null;
    },
  };
}

/** No call outlives its own deadline, nor the lease under which it is made; too late, none is made. */
function withDeadline(network: Fetch, callSeconds: number, lease: Lease): Fetch {
  return async (input, init) => {
    const signals = [init?.signal, endsIn(Math.min(callSeconds * SECOND, lease.msLeft()))];
    const signal = AbortSignal.any(signals.filter((one) => one != null));
    return network(input, { ...init, signal, redirect: "manual" });
  };
}

/**
 * The same job, whose calls end by `end`: what follows an intent must be over before anybody asks the
 * platform about it, however long the worker was held up in between.
 */
export function endingBy(job: PublishJob, end: Date): PublishJob {
  const fetch: Fetch = async (input, init) =>
    job.fetch(input, { ...init, signal: endsIn(msUntil(end, job)) });
  const transfer: PublishJob["transfer"] = async (item, toRequest) =>
    fetch(toRequest(await job.readMedia(item)));
  return { ...job, fetch, transfer };
}

/** Index of the first file of a post whose content is known by its place in storage alone; -1 for none. */
export const nextToHash = (refs: readonly MediaRef[], media: readonly MediaRow[]): number =>
  refs.findIndex(
    (item) =>
      "sha256" in item &&
      item.role === undefined &&
      item.content === undefined &&
      media.some(({ sha256, etag }) => sha256 === item.sha256 && etag !== null),
  );

/** Index of the first file of a post that is still behind a URL; -1 where there is none. */
export const nextToFetch = (media: readonly MediaRef[]): number =>
  media.findIndex((item) => "url" in item && !item.isGone);
