import { exports } from "cloudflare:workers";
import * as z from "zod";
import { detectFileType } from "../../core/file-type.ts";
import { toHex } from "../../core/ids.ts";
import { deliver } from "../kit/simulator.ts";
import { authenticate, PRIVACY_OPTIONS } from "./accounts.ts";
import { answer, readInput, type TikTokCall, TikTokError } from "./call.ts";
import { readImageSize } from "./image-size.ts";
import { allWords, refuseAsSteered } from "./steering.ts";
import { accept, findTask, type NewTask, openTask, requirePrivacy, textOf } from "./tasks.ts";

/** Source of all limits: TikTok, "Photo Post" and "Media Transfer Guide". */
const MAX_PHOTOS = 35;
const MAX_PHOTO_BYTES = 20_000_000;
const PHOTO_TYPES = ["image/jpeg", "image/webp"];
const SIZE = { width: 1_080, height: 1_920 };

const texts = {
  title: z.string().max(90).default(""),
  description: z.string().max(4_000).default(""),
};

const sourceInfo = z
  .strictObject({
    source: z.literal("PULL_FROM_URL"),
    photo_images: z.array(z.url()).min(1).max(MAX_PHOTOS),
    photo_cover_index: z.int().min(0),
  })
  .refine(({ photo_images, photo_cover_index }) => photo_cover_index < photo_images.length, {
    error: "the photo cover index is none of the photos",
  });

const input = z.discriminatedUnion("post_mode", [
  z.strictObject({
    media_type: z.literal("PHOTO"),
    post_mode: z.literal("DIRECT_POST"),
    post_info: z.strictObject({
      ...texts,
      privacy_level: z.string(),
      disable_comment: z.boolean().optional(),
      auto_add_music: z.boolean().optional(),
      brand_content_toggle: z.boolean(),
      brand_organic_toggle: z.boolean(),
    }),
    source_info: sourceInfo,
    is_aigc: z.boolean().optional(),
  }),
  z.strictObject({
    media_type: z.literal("PHOTO"),
    post_mode: z.literal("MEDIA_UPLOAD"),
    post_info: z.strictObject(texts),
    source_info: sourceInfo,
  }),
]);

/** The part of the Worker that answers requests, reached without the network. */
interface OwnFront {
  default: { fetch(request: Request): Promise<Response> };
}

const isOwnFront = (value: object): value is OwnFront => "default" in value;

/**
 * The bytes at an address of our own media, under whatever name we are reached; null for every other
 * address, because nothing of the sandbox leaves the machine.
 */
async function pull(address: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const own: object = exports;
  if (!new URL(address).pathname.startsWith("/media/") || !isOwnFront(own)) return null;
  const reply = await own.default.fetch(new Request(address));
  const bytes = new Uint8Array(await reply.arrayBuffer());
  return reply.status === 200 ? bytes : null;
}

type Photos = { media: { id: number; alt: string }[] } | { failReason: string };

/** Pulls and stores the photos; the reason with which TikTok gives up at the first it cannot use. */
async function pullPhotos(call: TikTokCall, owner: string, urls: string[]): Promise<Photos> {
  const media: { id: number; alt: string }[] = [];
  for (const url of urls) {
    const bytes = await pull(url);
    if (!bytes) return { failReason: "photo_pull_failed" };
    const mime = detectFileType(bytes)?.mime ?? "";
    const isTaken = PHOTO_TYPES.includes(mime) && bytes.byteLength <= MAX_PHOTO_BYTES;
    if (!isTaken) return { failReason: "file_format_check_failed" };
    const size = readImageSize(bytes);
    if (!size || size.width > SIZE.width || size.height > SIZE.height) {
      return { failReason: "picture_size_check_failed" };
    }
    const sha256 = toHex(await crypto.subtle.digest("SHA-256", bytes));
    const file = { platform: "tiktok" as const, owner, ref: sha256, mime, sha256 };
    call.store.media.save(call.origin, file, bytes);
    const stored = call.store.media.find("tiktok", owner, sha256, call.origin.teamId);
    if (stored) media.push({ id: stored.id, alt: "" });
  }
  return { media };
}

export async function initPhotos(call: TikTokCall): Promise<Response> {
  const { account, token } = await authenticate(call);
  const body = await readInput(call, input);
  const isInbox = body.post_mode === "MEDIA_UPLOAD";
  const { title, description } = body.post_info;
  if (body.post_mode === "DIRECT_POST") {
    const { privacy_level, brand_content_toggle } = body.post_info;
    requirePrivacy(account, privacy_level, PRIVACY_OPTIONS, brand_content_toggle);
  }
  const privacy = body.post_mode === "DIRECT_POST" ? body.post_info.privacy_level : "";
  const task: NewTask = { isVideo: false, isInbox, privacy, title, description, fields: body };
  const words = allWords(textOf(task));
  const verdict = call.store.steer(call.origin, account.openId, words, token);
  if (verdict.kind !== "accepted") return refuseAsSteered(verdict, true);
  const photos = await pullPhotos(call, account.openId, body.source_info.photo_images);
  const publishId = openTask(call, account, task);
  const opened = findTask(call, publishId);
  if (!opened) throw new TikTokError(500, "internal_error", "The task was lost.");
  accept(call, opened, photos);
  return deliver(verdict.reply, answer({ publish_id: publishId }));
}
