import * as z from "zod";
import { ok, type Result, refuse } from "../../core/result.ts";
import type {
  Bookmark,
  MediaItem,
  Prepared,
  PublishedPost,
  PublishJob,
  Reconciled,
  Stopped,
  Submitted,
} from "../connector.ts";
import { postText } from "../kit/post-text.ts";
import { failed } from "../kit/refusals.ts";
import { published, ready, undecided, unknowable } from "../kit/steps.ts";
import {
  type Blob,
  ENTRYWAY,
  getRecordRequest,
  POST_COLLECTION,
  putRecordRequest,
  readGetRecordReply,
  readPutRecordReply,
  readRecordCidReply,
  readResolveHandleReply,
  readUploadBlobReply,
  resolveHandleRequest,
  uploadBlobRequest,
} from "./api.ts";
import { altTexts } from "./check.ts";
import { isTemporary, isUndecided, toRefused, toUnknowable } from "./failures.ts";
import { type Facet, findSpans, type Span, toFacets } from "./richtext.ts";
import type { BlueskySettings } from "./settings.ts";
import { transferVideo } from "./video.ts";

type Job = PublishJob<BlueskySettings>;

/** Bounds the calls of one post; more mentions are spam. */
const MAX_MENTION_LOOKUPS = 20;

interface AspectRatio {
  width: number;
  height: number;
}

interface ImageEmbed {
  $type: "app.bsky.embed.images";
  images: { image: Blob; alt: string; aspectRatio?: AspectRatio }[];
}

interface VideoEmbed {
  $type: "app.bsky.embed.video";
  video: Blob;
  alt?: string;
  aspectRatio?: AspectRatio;
}

type Embed = ImageEmbed | VideoEmbed;

interface RecordRef {
  uri: string;
  cid: string;
}

/** @see https://docs.bsky.app/docs/advanced-guides/posts */
export interface PostRecord {
  $type: typeof POST_COLLECTION;
  text: string;
  createdAt: string;
  langs?: string[];
  labels?: { $type: "com.atproto.label.defs#selfLabels"; values: { val: string }[] };
  facets?: Facet[];
  reply?: { root: RecordRef; parent: RecordRef };
  embed?: Embed;
}

const TID_ALPHABET = "234567abcdefghijklmnopqrstuvwxyz";
const TID_LENGTH = 13;
const CLOCK_IDS = 1_024;
const ATTEMPTS = 16;
const UPLOADS = (1_000 * CLOCK_IDS) / ATTEMPTS;

/**
 * The key has 53 bits of microseconds and 10 bits of clock id. Upload and attempt fill the digits below milliseconds,
 * so 64,000 uploads within a millisecond have different keys.
 * @see https://atproto.com/specs/tid
 */
export function recordKey(createdAt: Date, uploadId: number, attempt: number): string {
  const place = (uploadId % UPLOADS) * ATTEMPTS + (attempt % ATTEMPTS);
  const micros = createdAt.getTime() * 1_000 + Math.floor(place / CLOCK_IDS);
  let value = (BigInt(micros) << 10n) | BigInt(place % CLOCK_IDS);
  let key = "";
  while (key.length < TID_LENGTH) {
    key = TID_ALPHABET.charAt(Number(value & 31n)) + key;
    value >>= 5n;
  }
  return key;
}

function readKey(rkey: string): { micros: number; clockId: number } {
  let value = 0n;
  for (const character of rkey) value = (value << 5n) | BigInt(TID_ALPHABET.indexOf(character));
  return { micros: Number(value >> 10n), clockId: Number(value & 1_023n) };
}

/** Epoch ms. */
export const timeOfKey = (rkey: string): number => Math.floor(readKey(rkey).micros / 1_000);

/** Whether the key may be one that `recordKey` made for any attempt of this upload. */
export function isKeyOf(rkey: string, uploadId: number): boolean {
  const { micros, clockId } = readKey(rkey);
  const place = (micros % 1_000) * CLOCK_IDS + clockId;
  return Math.floor(place / ATTEMPTS) === uploadId % UPLOADS;
}

export const keyOf = (uri: string): string => uri.slice(uri.lastIndexOf("/") + 1);

/** The key of a part comes from its time, so each part is later than the one before. */
const timeOf = ({ replyTo, now }: Job): Date =>
  replyTo ? new Date(Math.max(now().getTime(), timeOfKey(keyOf(replyTo.latest)) + 1)) : now();

export const serviceOf = (job: Job): string => job.account.service ?? ENTRYWAY;

async function resolveMentions(
  job: Job,
  spans: readonly Span[],
): Promise<Result<Map<string, string>, Stopped>> {
  const replies = await Promise.all(
    handlesIn(spans)
      .slice(0, MAX_MENTION_LOOKUPS)
      .map(async (handle) => {
        const request = resolveHandleRequest(serviceOf(job), handle);
        return { handle, reply: await readResolveHandleReply(await job.fetch(request)) };
      }),
  );
  const dids = new Map<string, string>();
  for (const { handle, reply } of replies) {
    if (reply.ok) dids.set(handle, reply.value);
    else if (isTemporary(reply.error)) {
      return refuse(toRefused(reply.error, job.now()));
    }
  }
  return ok(dids);
}

async function findRecord(job: Job, uri: string): Promise<Result<RecordRef, Stopped>> {
  const post = { repo: job.account.platformAccountId, rkey: keyOf(uri) };
  const reply = await readRecordCidReply(await job.fetch(getRecordRequest(serviceOf(job), post)));
  if (reply.ok) return ok({ uri, cid: reply.value });
  return refuse(
    reply.error.name === "RecordNotFound"
      ? failed("unknown", "The post that this one replies to is no longer on Bluesky.")
      : toRefused(reply.error, job.now()),
  );
}

async function findThread(job: Job): Promise<Result<Pick<PostRecord, "reply">, Stopped>> {
  if (!job.replyTo) return ok({});
  const root = await findRecord(job, job.replyTo.root);
  if (!root.ok) return root;
  const isFirst = job.replyTo.parent === job.replyTo.root;
  const parent = isFirst ? root : await findRecord(job, job.replyTo.parent);
  return parent.ok ? ok({ reply: { root: root.value, parent: parent.value } }) : parent;
}

async function uploadImage(job: Job, item: MediaItem): Promise<Result<Blob, Stopped>> {
  // Servers refuse chunked bodies; images have at most 2 MB.
  const data = await new Response(await job.readMedia(item)).arrayBuffer();
  const request = uploadBlobRequest(serviceOf(job), job.accessToken, { data, mime: item.mime });
  const reply = await readUploadBlobReply(await job.fetch(request));
  return reply.ok ? reply : refuse(toRefused(reply.error, job.now()));
}

async function uploadImages(job: Job): Promise<Result<ImageEmbed | null, Stopped>> {
  const images: ImageEmbed["images"] = [];
  // Sequential, so that only one image is in memory.
  for (const [index, item] of job.post.media.entries()) {
    const uploaded = await uploadImage(job, item);
    if (!uploaded.ok) return uploaded;
    images.push({
      image: uploaded.value,
      alt: altTexts.textOf(job.post, index),
      ...aspectRatioOf(item),
    });
  }
  return ok(images.length > 0 ? { $type: "app.bsky.embed.images", images } : null);
}

type Size = Pick<MediaItem, "width" | "height">;

const aspectRatioOf = ({ width, height }: Size): { aspectRatio?: AspectRatio } =>
  width && height ? { aspectRatio: { width, height } } : {};

function toVideoEmbed(job: Job, size: Size, video: Blob): VideoEmbed {
  const alt = altTexts.textOf(job.post, 0);
  return {
    $type: "app.bsky.embed.video",
    video,
    ...(alt === "" ? {} : { alt }),
    ...aspectRatioOf(size),
  };
}

/** Omits empty fields: they would make another record. */
function buildRecord(
  { bluesky_langs: langs, bluesky_labels: labels }: BlueskySettings,
  post: {
    text: string;
    createdAt: Date;
    facets: Facet[];
    thread: Pick<PostRecord, "reply">;
    embed: Embed | null;
  },
): PostRecord {
  return {
    $type: POST_COLLECTION,
    text: post.text,
    createdAt: post.createdAt.toISOString(),
    ...(langs.length > 0 ? { langs } : {}),
    ...(labels.length > 0
      ? {
          labels: {
            $type: "com.atproto.label.defs#selfLabels" as const,
            values: labels.map((val) => ({ val })),
          },
        }
      : {}),
    ...(post.facets.length > 0 ? { facets: post.facets } : {}),
    ...post.thread,
    ...(post.embed ? { embed: post.embed } : {}),
  };
}

/** Fixes record and key, so that each `submit` sends the same. Images uploaded again get the same references. */
export async function prepare(job: Job, bookmark: Bookmark | null): Promise<Prepared> {
  if (bookmark && "record" in bookmark) return ready(bookmark);
  const [item] = job.post.media;
  if (item?.kind !== "video") return fixRecord(job, () => uploadImages(job));
  const step = await transferVideo(job, item, bookmark);
  if (step.kind !== "processed") return step;
  // Clients crop a video whose size is unknown.
  const size = (await job.inspectVideo(item)) ?? item;
  return fixRecord(job, async () => ok(toVideoEmbed(job, size, step.blob)));
}

/** @param embed called after mentions are resolved */
async function fixRecord(
  job: Job,
  embed: () => Promise<Result<Embed | null, Stopped>>,
): Promise<Prepared> {
  const text = postText(job.post);
  const spans = findSpans(text);
  const dids = await resolveMentions(job, spans);
  if (!dids.ok) return dids.error;
  const thread = await findThread(job);
  if (!thread.ok) return thread.error;
  const embedded = await embed();
  if (!embedded.ok) return embedded.error;
  const createdAt = timeOf(job);
  const facets = toFacets(text, spans, dids.value);
  const warnings = unlinkedWarnings(spans, dids.value);
  const post = { text, createdAt, facets, thread: thread.value, embed: embedded.value };
  const record = buildRecord(job.post.settings, post);
  const rkey = recordKey(createdAt, job.uploadId, job.attempt);
  return ready({ rkey, record, ...(warnings.length > 0 ? { warnings } : {}) });
}

const handlesIn = (spans: readonly Span[]): string[] => [
  ...new Set(spans.flatMap((span) => (span.kind === "mention" ? [span.handle] : []))),
];

const unlinkedWarnings = (spans: readonly Span[], dids: ReadonlyMap<string, string>): string[] =>
  handlesIn(spans)
    .filter((handle) => !dids.has(handle))
    .map((handle) => `@${handle} stayed text: Bluesky found no account of that name.`);

const preparedPost = z.object({
  rkey: z.string(),
  record: z.record(z.string(), z.unknown()),
  warnings: z.array(z.string()).optional(),
});

type PreparedPost = z.infer<typeof preparedPost>;

export function toPublished(
  job: Job,
  { rkey, warnings }: Pick<PreparedPost, "rkey" | "warnings">,
  uri: string,
): PublishedPost {
  const { handle, platformAccountId } = job.account;
  const shareUrl = `https://bsky.app/profile/${handle ?? platformAccountId}/post/${rkey}`;
  return published(uri, shareUrl, warnings);
}

/** The key is fixed, so a repeated call creates no second post. */
export async function submit(job: Job, bookmark: Bookmark): Promise<Submitted> {
  const post = preparedPost.parse(bookmark);
  const request = putRecordRequest(serviceOf(job), job.accessToken, {
    repo: job.account.platformAccountId,
    rkey: post.rkey,
    record: post.record,
  });
  const reply = await readPutRecordReply(await job.fetch(request));
  if (reply.ok) return toPublished(job, post, reply.value);
  if (isUndecided(reply.error)) return undecided(reply.error.message);
  return toRefused(reply.error, job.now());
}

/** Servers return an object's fields in any order. */
function isSameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const fields = new Map(Object.entries(a));
  const others = Object.entries(b);
  return (
    fields.size === others.length &&
    others.every(([key, value]) => fields.has(key) && isSameJson(fields.get(key), value))
  );
}

export async function reconcile(job: Job, bookmark: Bookmark): Promise<Reconciled> {
  const post = preparedPost.parse(bookmark);
  const { rkey, record } = post;
  const repo = job.account.platformAccountId;
  const request = getRecordRequest(serviceOf(job), { repo, rkey });
  const reply = await readGetRecordReply(await job.fetch(request));
  if (reply.ok) {
    if (isSameJson(reply.value, record)) {
      return toPublished(job, post, `at://${repo}/${POST_COLLECTION}/${rkey}`);
    }
    return unknowable(
      "Another post, or an edited version, is already where this post was to be written.",
    );
  }
  const isAbsent = reply.error.status === 400 && reply.error.name === "RecordNotFound";
  return isAbsent ? { kind: "absent" } : toUnknowable(reply.error);
}
