import type { SharedBudget } from "../../core/budget.ts";
import { addSeconds, SECOND } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { countedDeps } from "../../queue/counted-deps.ts";
import { wakePost } from "../../queue/wake.ts";
import { filesToApprove, isElsewhere } from "../content/files.ts";
import { DAMAGED } from "../media/files.ts";
import { DOWNLOAD_SECONDS, downloadMedia, replaceIfGone } from "../media/intake.ts";
import type { StoredFile } from "../media/table.ts";
import type { MediaRef, UploadRow } from "../posts/table.ts";
import { resolvePresigned } from "../presign/resolve.ts";
import { type HeldChanges, saveHeld, takeHeld } from "./repo/held.ts";
import { MAX_CRASHES, nextBackoff } from "./rules.ts";

/** Subrequests of one download: up to 24 parts of a file after three redirects. */
const DOWNLOAD_CALLS = 32;
/** A download that began longer ago has broken off. */
const TAKEN_SECONDS = DOWNLOAD_SECONDS + 30;
/** Wait until the next try to get subrequests, because posts that are due go first. */
const NO_ROOM_SECONDS = 5;

const BROKE_OFF = "The download broke off several times on our side.";

type Elsewhere = Extract<MediaRef, { url: string }>;
type Download =
  | { kind: "stored"; file: StoredFile; isOurs: boolean }
  | { kind: "failed"; message: string; transient: boolean };

export async function downloadHeldFiles(
  deps: Deps,
  due: UploadRow,
  budget: SharedBudget,
): Promise<void> {
  let post: UploadRow | null = due;
  while (post !== null) {
    const current: UploadRow = post;
    const step = await budget.within(DOWNLOAD_CALLS, async (spend) => ({
      post: await downloadNext(countedDeps(deps, spend), current),
    }));
    if (step === null) await wakePost(deps, current.id, addSeconds(deps.now(), NO_ROOM_SECONDS));
    post = step?.post ?? null;
  }
}

/** Returns null when this run has nothing left to download. */
async function downloadNext(deps: Deps, post: UploadRow): Promise<UploadRow | null> {
  const media = filesToApprove(post);
  const index = media.findIndex((item) => isElsewhere(item) && item.problem === undefined);
  const item = media[index];
  const until = addSeconds(deps.now(), TAKEN_SECONDS);
  const [taken] = await deps.db.run([takeHeld(post, until)]);
  if (taken !== 1) return null;
  const takenPost = { ...post, dueAt: until };
  if (!item || !isElsewhere(item)) return save(deps, takenPost, { dueAt: null });
  const download: Download =
    post.crashes < MAX_CRASHES
      ? await fetchFile(deps, post, item)
      : { kind: "failed", message: BROKE_OFF, transient: false };
  if (download.kind === "stored") {
    const { url: _, problem: __, ...name } = item;
    const { sha256, kind, sizeBytes } = download.file;
    const stored = media.with(index, { sha256, kind, ...name });
    const fileSize = item.role === "setting" ? post.fileSize : post.fileSize + sizeBytes;
    return save(deps, takenPost, { media: stored, fileSize, backoffs: 0 }, download);
  }
  const { message, transient } = download;
  // A post can be published without its thumbnail; the post's page says so.
  if (item.role === "thumbnail") {
    return save(deps, takenPost, { media: media.with(index, { ...item, isGone: true }) });
  }
  const wait = transient ? nextBackoff(post.backoffs) : null;
  if (wait === null) {
    return save(deps, takenPost, { media: media.with(index, { ...item, problem: message }) });
  }
  await save(deps, takenPost, { dueAt: addSeconds(deps.now(), wait), backoffs: post.backoffs + 1 });
  return null;
}

async function fetchFile(
  deps: Deps,
  { teamId, platform, origin }: UploadRow,
  { url, setting }: Elsewhere,
): Promise<Download> {
  const expected =
    setting === undefined ? undefined : connectorOf(platform).settingFiles?.[setting];
  const own = setting === undefined ? null : await resolvePresigned(deps, { origin, url, teamId });
  if (own && "refusal" in own) return refused(own.refusal);
  if (own && expected && own.kind !== expected.kind)
    return refused("the file at the address is of another kind.");
  if (own?.isDamaged) return refused(DAMAGED);
  if (own) return { kind: "stored", file: own, isOurs: false };
  const endsAt = addSeconds(deps.now(), DOWNLOAD_SECONDS);
  const recipient = {
    signal: AbortSignal.timeout(DOWNLOAD_SECONDS * SECOND),
    moved: async () => {
      if (deps.now() >= endsAt) throw new Error("The download took too long.");
    },
  };
  const downloaded = await downloadMedia(deps, teamId, url, recipient, expected);
  if (downloaded.kind === "stored") return { ...downloaded, isOurs: true };
  const { message } = downloaded;
  const isTransient = downloaded.kind === "unreachable" && downloaded.transient;
  return { kind: "failed", message, transient: isTransient };
}

const refused = (reason: string): Download => ({
  kind: "failed",
  message: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}`,
  transient: false,
});

/** Returns the post if this run is to download another file. */
async function save(
  deps: Deps,
  post: UploadRow,
  changes: HeldChanges,
  stored?: { file: StoredFile; isOurs: boolean },
): Promise<UploadRow | null> {
  const now = deps.now();
  const media = changes.media ?? post.media;
  const isLeft = filesToApprove({ ...post, media }).some(
    (item) => isElsewhere(item) && item.problem === undefined,
  );
  const dueAt = changes.dueAt === undefined ? (isLeft ? now : null) : changes.dueAt;
  const set = { ...changes, dueAt, wokenAt: dueAt, crashes: 0, fence: post.fence + 1 };
  const { changed, objectKey } = await saveHeld(deps.db, post, set, stored?.file ?? null, now);
  if (stored?.isOurs && objectKey !== stored.file.objectKey) {
    const { file } = stored;
    const isTaken = objectKey !== null && (await replaceIfGone(deps, post.teamId, file, objectKey));
    if (!isTaken) await deps.media.delete(file.objectKey);
  }
  if (changed !== 1) return null;
  if (dueAt && dueAt > now) await wakePost(deps, post.id, dueAt);
  return dueAt !== null && dueAt <= now ? { ...post, ...set } : null;
}
