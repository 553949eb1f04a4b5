import { imageDimensionsFromStream } from "image-dimensions";
import * as z from "zod";
import { pullTyped } from "../kit/files.ts";
import { type Call, deliver } from "../kit/simulator.ts";
import { steer } from "../kit/steered.ts";
import { allWords } from "../kit/steering.ts";
import { authenticate, PRIVACY_OPTIONS } from "./accounts.ts";
import { answer, readInput } from "./call.ts";
import { refusalsOf } from "./steering.ts";
import { accept, type NewTask, openTask, requirePrivacy, textOf } from "./tasks.ts";

/** Source: TikTok, "Photo Post" and "Media Transfer Guide". */
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

type Photos = { media: { id: number; alt: string }[] } | { failReason: string };

const FAIL_REASONS = {
  unreachable: "photo_pull_failed",
  too_large: "file_format_check_failed",
  wrong_type: "file_format_check_failed",
};

async function pullPhotos({ env }: Call, owner: string, urls: string[]): Promise<Photos> {
  const file = { platform: "tiktok", owner } as const;
  const limits = { maxBytes: MAX_PHOTO_BYTES, types: PHOTO_TYPES };
  const media: { id: number; alt: string }[] = [];
  for (const url of urls) {
    const pulled = await pullTyped(env, file, url, limits);
    if (!pulled.ok) return { failReason: FAIL_REASONS[pulled.error] };
    const size = await imageDimensionsFromStream(env.store.media.stream(pulled.value));
    if (!size || size.width > SIZE.width || size.height > SIZE.height) {
      return { failReason: "picture_size_check_failed" };
    }
    media.push({ id: pulled.value, alt: "" });
  }
  return { media };
}

export async function initPhotos(call: Call): Promise<Response> {
  const { account, token } = await authenticate(call, "video.publish", "video.upload");
  const body = await readInput(call, input);
  const { title, description } = body.post_info;
  if (body.post_mode === "DIRECT_POST") {
    const { privacy_level, brand_content_toggle } = body.post_info;
    requirePrivacy(call, account, privacy_level, PRIVACY_OPTIONS, brand_content_toggle);
  }
  const privacy = body.post_mode === "DIRECT_POST" ? body.post_info.privacy_level : "";
  const task: NewTask = {
    is_video: false,
    is_inbox: body.post_mode === "MEDIA_UPLOAD",
    privacy,
    title,
    description,
    fields: body,
  };
  const text = allWords(textOf(task));
  const reply = steer(call.env, refusalsOf({ isPulled: true }), {
    key: account.openId,
    text,
    token,
  });
  const photos = await pullPhotos(call, account.openId, body.source_info.photo_images);
  const opened = openTask(call, account, task);
  accept(call, opened, photos);
  return deliver(reply, answer({ publish_id: opened.publish_id }));
}
