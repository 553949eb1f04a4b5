import * as z from "zod";
import { now } from "../../core/clock.ts";
import { SECOND } from "../../core/time.ts";
import { keepFile, storeFile } from "../kit/files.ts";
import { randomDigits } from "../kit/ids.ts";
import type { Call } from "../kit/simulator.ts";
import { type Account, authenticate } from "./accounts.ts";
import { invalidRequest, notFound, readInput, readMedia } from "./call.ts";

export const X_MEDIA_SCHEMA = `
CREATE TABLE IF NOT EXISTS x_media (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  team_id INTEGER NOT NULL,
  category TEXT NOT NULL,
  type TEXT NOT NULL,
  total_bytes INTEGER NOT NULL,
  file_id INTEGER NOT NULL,
  finalized INTEGER NOT NULL DEFAULT 0,
  is_sound INTEGER NOT NULL DEFAULT 0,
  processed_at INTEGER NOT NULL DEFAULT 0,
  expires_at INTEGER NOT NULL,
  alt_text TEXT NOT NULL DEFAULT '',
  subtitles TEXT,
  used_in TEXT
);
CREATE TABLE IF NOT EXISTS x_segments (
  media_id TEXT NOT NULL,
  segment_index INTEGER NOT NULL,
  size INTEGER NOT NULL,
  PRIMARY KEY (media_id, segment_index)
);
`;

export type MediaRecord = {
  id: string;
  category: string;
  type: string;
  total_bytes: number;
  file_id: number;
  finalized: number;
  /** Result of processing the file: one of `SOUNDNESS`. */
  is_sound: number;
  processed_at: number;
  expires_at: number;
  alt_text: string;
  subtitles: string | null;
  used_in: string | null;
};

/** `broken`: the bytes are not what was announced. `tooLong`: it lasts longer than its category takes. */
export const SOUNDNESS = { broken: 0, sound: 1, tooLong: 2 } as const;

/** Seconds. Source: X, "Media best practices", and what live replies say. */
const READY_SECONDS = 86_400;
const OPEN_SECONDS = 15 * 86_400;
const MAX_IMAGE_BYTES = 5_000_000;
/** A multipart body is larger than its file. */
const FORM_SLACK = 10_000;
const MAX_ALT_CHARACTERS = 1_000;

const KEY_KINDS: Record<string, string> = {
  tweet_image: "3",
  tweet_video: "7",
  amplify_video: "13",
  tweet_gif: "16",
};

/** A video by what the call for its subtitles names it. Source: X, "Create media subtitles". */
const SUBTITLED: Record<string, string> = {
  tweet_video: "TweetVideo",
  amplify_video: "AmplifyVideo",
};

export const isVideo = ({ category }: Pick<MediaRecord, "category">): boolean =>
  Object.hasOwn(SUBTITLED, category);

/** The media key of a file: `3_1880028106020515840`. */
export const mediaKeyOf = ({ id, category }: Pick<MediaRecord, "id" | "category">): string =>
  `${KEY_KINDS[category] ?? "1"}_${id}`;

const isAsynchronous = (media: MediaRecord): boolean =>
  isVideo(media) || media.category === "tweet_gif";

/** The processing state of a finalized file; null for one that is not processed. */
export function stateOf(media: MediaRecord): "in_progress" | "succeeded" | "failed" | null {
  if (!isAsynchronous(media)) return null;
  if (media.processed_at > now().getTime()) return "in_progress";
  return media.is_sound === SOUNDNESS.sound ? "succeeded" : "failed";
}

/** Source: X's announcement "Uploading long videos", and what live replies say. */
const processingError = ({ is_sound }: MediaRecord) =>
  is_sound === SOUNDNESS.tooLong
    ? { code: 3, name: "UnsupportedMedia", message: "Duration exceeds max duration" }
    : { code: 1, name: "InvalidMedia", message: "The media is invalid." };

export function findMedia(call: Call, account: Account, id: string): MediaRecord | null {
  const { store, origin } = call.env;
  const own = { id, user_id: account.userId, team_id: origin.teamId };
  const media = store.find<MediaRecord>("x_media", own);
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
  // More digits than a JSON number holds, as X's have.
  const id = `19${randomDigits(17)}`;
  const seconds = media.finalized === 1 ? READY_SECONDS : OPEN_SECONDS;
  call.env.store.insert("x_media", {
    ...media,
    id,
    user_id: account.userId,
    team_id: call.env.origin.teamId,
    is_sound: media.finalized,
    expires_at: now().getTime() + seconds * SECOND,
  });
  return requireMedia(call, account, id);
}

/** A file as the API tells of it. */
export function toData(media: MediaRecord): Record<string, unknown> {
  const state = media.finalized === 1 ? stateOf(media) : null;
  const left = Math.ceil((media.processed_at - now().getTime()) / SECOND);
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
              ? { check_after_secs: Math.max(left, 1), progress_percent: 50 }
              : { progress_percent: 100 }),
            ...(state === "failed" ? { error: processingError(media) } : {}),
          },
        }
      : {}),
  };
}

const ONE_SHOT_FIELDS = ["media", "media_category", "additional_owners"];
const IMAGE_TYPES = ["image/jpeg", "image/png", "image/webp"];

/** A file that comes in one call. */
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
    finalized: 1,
  });
  return Response.json({ data: toData(media) });
}

const altInput = z.strictObject({
  id: z.string().regex(/^\d{1,19}$/),
  metadata: z.strictObject({
    alt_text: z.strictObject({ text: z.string().min(1) }),
  }),
});

/** The alternative text of a file. */
export async function saveMetadata(call: Call): Promise<Response> {
  const { account } = await authenticate(call);
  const { id, metadata } = await readInput(call, altInput);
  const { text } = metadata.alt_text;
  if ([...text].length > MAX_ALT_CHARACTERS) {
    throw invalidRequest(`$.metadata.alt_text.text: must be at most ${MAX_ALT_CHARACTERS} long`);
  }
  const media = requireMedia(call, account, id);
  if (isVideo(media) || media.category === "subtitles") {
    throw invalidRequest("Alternative text is for images and GIFs.");
  }
  call.env.store.update("x_media", { id }, { alt_text: text });
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

/** Adds a subtitle file to a video. */
export async function addSubtitles(call: Call): Promise<Response> {
  const { account } = await authenticate(call);
  const input = await readInput(call, subtitlesInput);
  const video = requireMedia(call, account, input.id);
  const file = requireMedia(call, account, input.subtitles.id);
  const isFitting = SUBTITLED[video.category] === input.media_category;
  const isWhole = file.finalized === 1 && file.is_sound === SOUNDNESS.sound;
  if (!isFitting || file.category !== "subtitles" || !isWhole) {
    throw invalidRequest("The subtitles cannot be associated with this media.");
  }
  const { language_code, display_name } = input.subtitles;
  const subtitles = { id: file.id, language_code, display_name };
  call.env.store.update("x_media", { id: video.id }, { subtitles: JSON.stringify(subtitles) });
  return Response.json({
    data: {
      id: video.id,
      media_category: input.media_category,
      associated_subtitles: [subtitles],
    },
  });
}
