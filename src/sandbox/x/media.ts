import * as z from "zod";
import { now } from "../../core/clock.ts";
import { SECOND } from "../../core/time.ts";
import { keepFile, storeFile } from "../kit/files.ts";
import { randomDigits } from "../kit/ids.ts";
import type { Call } from "../kit/simulator.ts";
import {
  count,
  flag,
  integer,
  json,
  key,
  optional,
  type RowOf,
  Table,
  text,
} from "../kit/table.ts";
import { type Account, authenticate } from "./accounts.ts";
import { invalidRequest, notFound, readInput, readMedia } from "./call.ts";

export const mediaTable = new Table("x_media", {
  id: key(),
  user_id: text(),
  team_id: integer(),
  category: text(),
  type: text(),
  total_bytes: integer(),
  file_id: integer(),
  finalized: flag(),
  /** A value of `SOUNDNESS`. */
  is_sound: count(),
  processed_at: count(),
  expires_at: integer(),
  alt_text: text(),
  subtitles: optional(json<object>()),
  used_in: optional(text()),
});

export type MediaRecord = RowOf<typeof mediaTable>;

/**
 * `broken`: the bytes do not match the announced type. `tooLong`: the category allows only shorter
 * videos.
 */
export const SOUNDNESS = { broken: 0, sound: 1, tooLong: 2 } as const;

/** Seconds. Source: X, "Media best practices", and live replies. */
const READY_SECONDS = 86_400;
const OPEN_SECONDS = 15 * 86_400;
const MAX_IMAGE_BYTES = 5_000_000;
const FORM_SLACK = 10_000;
const MAX_ALT_CHARACTERS = 1_000;

const KEY_KINDS: Record<string, string> = {
  tweet_image: "3",
  tweet_video: "7",
  amplify_video: "13",
  tweet_gif: "16",
};

/** The category's name in calls about subtitles. Source: X, "Create media subtitles". */
const SUBTITLED: Record<string, string> = {
  tweet_video: "TweetVideo",
  amplify_video: "AmplifyVideo",
};

export const isVideo = ({ category }: Pick<MediaRecord, "category">): boolean =>
  Object.hasOwn(SUBTITLED, category);

export const mediaKeyOf = ({ id, category }: Pick<MediaRecord, "id" | "category">): string =>
  `${KEY_KINDS[category] ?? "1"}_${id}`;

const isAsynchronous = (media: MediaRecord): boolean =>
  isVideo(media) || media.category === "tweet_gif";

/** Null for unprocessed files. */
export function stateOf(media: MediaRecord): "in_progress" | "succeeded" | "failed" | null {
  if (!isAsynchronous(media)) return null;
  if (media.processed_at > now().getTime()) return "in_progress";
  return media.is_sound === SOUNDNESS.sound ? "succeeded" : "failed";
}

/** Source: X's announcement "Uploading long videos", and live replies. */
const processingError = ({ is_sound }: MediaRecord) =>
  is_sound === SOUNDNESS.tooLong
    ? { code: 3, name: "UnsupportedMedia", message: "Duration exceeds max duration" }
    : { code: 1, name: "InvalidMedia", message: "The media is invalid." };

export function findMedia(call: Call, account: Account, id: string): MediaRecord | null {
  const { store, origin } = call.env;
  const own = { id, user_id: account.userId, team_id: origin.teamId };
  const media = mediaTable.find(store, own);
  return media && media.expires_at > now().getTime() ? media : null;
}

export function requireMedia(call: Call, account: Account, id: string): MediaRecord {
  const media = findMedia(call, account, id);
  if (!media) throw notFound(`Could not find media with id: [${id}].`);
  return media;
}

export function insertMedia(
  call: Call,
  account: Account,
  media: Pick<MediaRecord, "category" | "type" | "total_bytes" | "file_id" | "finalized">,
): MediaRecord {
  // Longer than `Number.MAX_SAFE_INTEGER`.
  const id = `19${randomDigits(17)}`;
  const seconds = media.finalized ? READY_SECONDS : OPEN_SECONDS;
  mediaTable.insert(call.env.store, {
    ...media,
    id,
    user_id: account.userId,
    team_id: call.env.origin.teamId,
    is_sound: media.finalized ? SOUNDNESS.sound : SOUNDNESS.broken,
    expires_at: now().getTime() + seconds * SECOND,
    alt_text: "",
  });
  return requireMedia(call, account, id);
}

export function toData(media: MediaRecord): Record<string, unknown> {
  const state = media.finalized ? stateOf(media) : null;
  const remainingSeconds = Math.ceil((media.processed_at - now().getTime()) / SECOND);
  return {
    id: media.id,
    media_key: mediaKeyOf(media),
    size: media.total_bytes,
    expires_after_secs: Math.floor((media.expires_at - now().getTime()) / SECOND),
    ...(state
      ? {
          processing_info: {
            state,
            ...(state === "in_progress"
              ? { check_after_secs: Math.max(remainingSeconds, 1), progress_percent: 50 }
              : { progress_percent: 100 }),
            ...(state === "failed" ? { error: processingError(media) } : {}),
          },
        }
      : {}),
  };
}

const ONE_SHOT_FIELDS = ["media", "media_category", "additional_owners"];
const IMAGE_TYPES = ["image/jpeg", "image/png", "image/webp"];

export async function uploadWhole(call: Call): Promise<Response> {
  const { account } = await authenticate(call);
  const { file, fields } = await readMedia(call, ONE_SHOT_FIELDS, MAX_IMAGE_BYTES + FORM_SLACK);
  const category = fields.get("media_category");
  if (category !== "tweet_image") {
    throw invalidRequest(`The media_category [${category}] is not one of [tweet_image].`);
  }
  const owner = { platform: "x" as const, owner: account.userId };
  const stored = await storeFile(call.env, owner, file.stream(), MAX_IMAGE_BYTES);
  if (stored === "too_large") throw invalidRequest("File size exceeds 5242880 bytes.");
  const fileId = keepFile(call.env, owner, stored, (mime) => IMAGE_TYPES.includes(mime));
  if (fileId === null) throw invalidRequest("media type unrecognized.");
  const media = insertMedia(call, account, {
    category,
    type: stored.mime,
    total_bytes: stored.sizeBytes,
    file_id: fileId,
    finalized: true,
  });
  return Response.json({ data: toData(media) });
}

const altInput = z.strictObject({
  id: z.string().regex(/^\d{1,19}$/),
  metadata: z.strictObject({
    alt_text: z.strictObject({ text: z.string().min(1) }),
  }),
});

export async function saveMetadata(call: Call): Promise<Response> {
  const { account } = await authenticate(call);
  const { id, metadata } = await readInput(call, altInput);
  const { text: alt_text } = metadata.alt_text;
  if ([...alt_text].length > MAX_ALT_CHARACTERS) {
    throw invalidRequest(`$.metadata.alt_text.text: must be at most ${MAX_ALT_CHARACTERS} long`);
  }
  const media = requireMedia(call, account, id);
  if (isVideo(media) || media.category === "subtitles") {
    throw invalidRequest("Alternative text is for images and GIFs.");
  }
  mediaTable.update(call.env.store, { id }, { alt_text });
  return Response.json({ data: { id, associated_metadata: metadata } });
}

const mediaId = z.string().regex(/^\d{1,19}$/);

const subtitlesInput = z.strictObject({
  id: mediaId,
  media_category: z.enum(["TweetVideo", "AmplifyVideo"]),
  subtitles: z.strictObject({
    id: mediaId,
    language_code: z.string().regex(/^[A-Z]{2}$/),
    display_name: z.string().min(1),
  }),
});

export async function addSubtitles(call: Call): Promise<Response> {
  const { account } = await authenticate(call);
  const input = await readInput(call, subtitlesInput);
  const video = requireMedia(call, account, input.id);
  const file = requireMedia(call, account, input.subtitles.id);
  const isFitting = SUBTITLED[video.category] === input.media_category;
  const isWhole = file.finalized && file.is_sound === SOUNDNESS.sound;
  if (!isFitting || file.category !== "subtitles" || !isWhole) {
    throw invalidRequest("The subtitles cannot be associated with this media.");
  }
  const { language_code, display_name } = input.subtitles;
  const subtitles = { id: file.id, language_code, display_name };
  mediaTable.update(call.env.store, { id: video.id }, { subtitles });
  return Response.json({
    data: {
      id: video.id,
      media_category: input.media_category,
      associated_subtitles: [subtitles],
    },
  });
}
