import { PublishFailure } from "../../core/failures.ts";
import { NO_IMAGES } from "../../core/missing-bindings.ts";
import { SECOND } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import type { Connector, Fetch, MediaItem, Post, PublishJob } from "../../platforms/connector.ts";
import type { Credentials } from "../../platforms/login.ts";
import type { AccountRow } from "../accounts/table.ts";
import { described } from "../content/as-published.ts";
import { loginFetch, toPublishAccount } from "../logins/platform-access.ts";
import { DAMAGED, fileIsGone, mediaPath, openFile } from "../media/files.ts";
import type { MediaRow } from "../media/repo.ts";
import { currentPart } from "../posts/parts.ts";
import type { MediaRef, UploadRow } from "../posts/table.ts";
import { endsIn, Lease, msUntil, throughTransfer } from "./lease.ts";

const TRANSFER_SECONDS = 10 * 60;

const toMediaItem = ({ kind, mime, sizeBytes, sha256, width, height }: MediaRow): MediaItem => ({
  kind,
  mime,
  sizeBytes,
  sha256,
  width,
  height,
});

/** Leaves out files that are not downloaded yet. @throws PublishFailure when a file is gone */
export function filesOf(refs: readonly MediaRef[], media: readonly MediaRow[]): MediaItem[] {
  return refs.flatMap((item) => {
    if (!("sha256" in item)) return [];
    const file = media.find(({ sha256 }) => sha256 === item.sha256);
    if (!file) throw fileIsGone();
    return [described(toMediaItem(file), item)];
  });
}

const settingFilesOf = (refs: readonly MediaRef[], media: readonly MediaRow[]) =>
  Object.fromEntries(
    refs.flatMap((item) =>
      item.setting === undefined
        ? []
        : filesOf([item], media).map((file) => [item.setting, file] as const),
    ),
  );

/** @throws PublishFailure media_invalid for damaged images */
export function requireReadable(media: readonly MediaRow[]): void {
  if (!media.some(({ isDamaged }) => isDamaged)) return;
  throw new PublishFailure({ code: "media_invalid", message: DAMAGED });
}

/** @throws PublishFailure media_invalid when the stored file was replaced */
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

function toPost(
  connector: Connector,
  upload: UploadRow,
  media: MediaRow[],
): Post<unknown, MediaItem> {
  const part = currentPart(upload);
  if (part) {
    return {
      title: null,
      description: part.text,
      media: filesOf(
        part.media.flatMap((index) => upload.media[index] ?? []),
        media,
      ),
      settings: connector.followUps?.settingsOf(upload.settings) ?? upload.settings,
    };
  }
  const withRole = (role: MediaRef["role"]) =>
    filesOf(
      upload.media.filter((item) => item.role === role),
      media,
    );
  return {
    title: upload.title,
    description: upload.description,
    media: withRole(undefined),
    thumbnail: withRole("thumbnail").at(-1) ?? null,
    settings: upload.settings,
    settingFiles: settingFilesOf(upload.media, media),
  };
}

function toReply({ part, parts, metadata }: UploadRow): Pick<PublishJob, "replyTo"> {
  const root = metadata?.videoId;
  if (part === 0 || root === undefined) return {};
  const latest = parts?.[part - 2]?.platformPostId ?? root;
  const isComment = parts?.[part - 1]?.kind === "comment";
  return { replyTo: { root, parent: isComment ? root : latest, latest } };
}

export function createJob(
  deps: Deps,
  connector: Connector,
  claim: { upload: UploadRow; account: AccountRow; media: MediaRow[] },
  credentials: Credentials,
): PublishJob {
  const { upload, account, media } = claim;
  const network = loginFetch(deps, account, credentials, upload.id);
  const lease = new Lease(deps, upload);
  const readMedia: PublishJob["readMedia"] = async (item, range) => {
    const file = media.find(({ sha256 }) => sha256 === item.sha256);
    if (!file) throw fileIsGone();
    return (await openFile(deps, file, range)).body;
  };
  return {
    post: toPost(connector, upload, media),
    ...toReply(upload),
    account: toPublishAccount(account),
    accessToken: credentials.accessToken,
    uploadId: upload.id,
    attempt: upload.attempt,
    ...(upload.submittedAt && { submittedAt: upload.submittedAt }),
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
      if (form !== "original" && !deps.images) {
        throw new PublishFailure({ code: "media_invalid", message: NO_IMAGES });
      }
      const origin = deps.config.publicUrl ?? upload.origin;
      return origin + (await mediaPath(deps, upload.teamId, item.sha256, form));
    },
    inspectVideo: async (item) => {
      const file = media.find(({ sha256 }) => sha256 === item.sha256);
      // Loaded on demand: its library is the largest of all.
      const { inspectVideo } = await import("../media/inspect.ts");
      return file ? inspectVideo(deps, file, item) : null;
    },
  };
}

/** Aborts a call at its deadline or at the end of the lease. */
function withDeadline(network: Fetch, callSeconds: number, lease: Lease): Fetch {
  return async (input, init) => {
    const signals = [init?.signal, endsIn(Math.min(callSeconds * SECOND, lease.msLeft()))];
    const signal = AbortSignal.any(signals.filter((one) => one != null));
    return network(input, { ...init, signal, redirect: "manual" });
  };
}

/** Ends calls at `end`: the call that creates the post must end before the platform is asked about the post. */
export function endingBy(job: PublishJob, end: Date): PublishJob {
  const fetch: Fetch = async (input, init) =>
    job.fetch(input, { ...init, signal: endsIn(msUntil(end, job)) });
  const transfer: PublishJob["transfer"] = async (item, toRequest) =>
    fetch(toRequest(await job.readMedia(item)));
  return { ...job, fetch, transfer };
}

/** Returns the index of the first presigned file without a content hash, or -1. */
export const nextToHash = (refs: readonly MediaRef[], media: readonly MediaRow[]): number =>
  refs.findIndex(
    (item) =>
      "sha256" in item &&
      item.role === undefined &&
      item.content === undefined &&
      media.some(({ sha256, etag }) => sha256 === item.sha256 && etag !== null),
  );

/** Returns the index of the first file that is not downloaded from its URL yet, or -1. */
export const nextToFetch = (media: readonly MediaRef[]): number =>
  media.findIndex((item) => "url" in item && !item.isGone);
