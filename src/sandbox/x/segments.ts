import * as z from "zod";
import { now } from "../../core/clock.ts";
import { SECOND } from "../../core/time.ts";
import { appendBody, readStored, reserveFile, sealFile } from "../kit/files.ts";
import { SLICE_BYTES } from "../kit/media-store.ts";
import { readMovieSeconds } from "../kit/movie-length.ts";
import { type Call, idOf } from "../kit/simulator.ts";
import { integer, Table, text } from "../kit/table.ts";
import { type Account, authenticate, isSubscriber } from "./accounts.ts";
import { invalidRequest, readInput, readMedia, requireQuery } from "./call.ts";
import {
  insertMedia,
  type MediaRecord,
  mediaTable,
  requireMedia,
  SOUNDNESS,
  toData,
} from "./media.ts";

export const segments = new Table(
  "x_segments",
  { media_id: text(), segment_index: integer(), size: integer() },
  { constraint: "PRIMARY KEY (media_id, segment_index)" },
);

/** Source: X, "Initialize media upload". */
const MAX_TOTAL_BYTES = 17_179_869_184;
const MAX_GIF_BYTES = 15_000_000;
const MAX_SUBTITLES_BYTES = 1_048_576;
/** X documents 5 MB, but its edge has refused that. */
const MAX_SEGMENT_BYTES = 4_194_304;
const FORM_SLACK = 10_000;
const MAX_SEGMENT_INDEX = 999;
const PROCESSING_SECONDS = 3;
const SLICES_PER_SEGMENT = Math.ceil(MAX_SEGMENT_BYTES / SLICE_BYTES);

const VIDEO_TYPES = ["video/mp4", "video/quicktime", "video/webm", "video/mp2t"];

const CATEGORIES: Record<string, { types: string[]; maxBytes: number }> = {
  tweet_video: { types: VIDEO_TYPES, maxBytes: MAX_TOTAL_BYTES },
  amplify_video: { types: VIDEO_TYPES, maxBytes: MAX_TOTAL_BYTES },
  tweet_gif: { types: ["image/gif"], maxBytes: MAX_GIF_BYTES },
  tweet_image: { types: ["image/jpeg", "image/png", "image/webp"], maxBytes: 5_000_000 },
  subtitles: { types: ["text/srt", "text/vtt"], maxBytes: MAX_SUBTITLES_BYTES },
};

/**
 * Seconds. X's documents of 2026 disagree about `tweet_video`: 140 s, or as long as
 * `amplify_video`. The stricter limit applies.
 */
const MAX_SECONDS: Record<string, { free: number; subscriber: number }> = {
  tweet_video: { free: 140, subscriber: 140 },
  amplify_video: { free: 1_200, subscriber: 7_500 },
};

const initializeInput = z.strictObject({
  media_type: z.string(),
  total_bytes: z.int().min(1).max(MAX_TOTAL_BYTES),
  media_category: z.string(),
  additional_owners: z.array(z.string()).optional(),
});

export async function initialize(call: Call): Promise<Response> {
  const { account } = await authenticate(call);
  const input = await readInput(call, initializeInput);
  const { media_category: category, media_type: type, total_bytes } = input;
  const rules = Object.hasOwn(CATEGORIES, category) ? CATEGORIES[category] : undefined;
  if (!rules) throw invalidRequest(`$.media_category: [${category}] is not known`);
  if (!rules.types.includes(type)) {
    throw invalidRequest(`$.media_type: [${type}] does not fit the category ${category}`);
  }
  if (total_bytes > rules.maxBytes) throw invalidRequest("$.total_bytes: file size is too large");
  const file = { platform: "x" as const, owner: account.userId };
  const media = insertMedia(call, account, {
    category,
    type,
    total_bytes,
    file_id: reserveFile(call.env, file),
    finalized: false,
  });
  const { id, media_key, expires_after_secs } = toData(media);
  return Response.json({ data: { id, media_key, expires_after_secs } });
}

function requireOpen(call: Call, account: Account, id: string): MediaRecord {
  const media = requireMedia(call, account, id);
  if (media.finalized) throw invalidRequest("The upload has already been finalized.");
  return media;
}

/** A known index replaces the earlier segment. */
export async function append(call: Call): Promise<Response> {
  const { account } = await authenticate(call);
  const id = idOf(call);
  const { store } = call.env;
  const media = requireOpen(call, account, id);
  const { file, fields } = await readMedia(
    call,
    ["media", "segment_index"],
    MAX_SEGMENT_BYTES + FORM_SLACK,
  );
  const position = fields.get("segment_index") ?? "";
  if (!/^\d{1,3}$/.test(position)) {
    throw invalidRequest(`segment_index: [${position}] is not from 0 to ${MAX_SEGMENT_INDEX}`);
  }
  if (file.size === 0) throw invalidRequest("media: the segment is empty");
  const index = Number(position);
  const first = index * SLICES_PER_SEGMENT;
  const stored = await appendBody(store, media.file_id, first, file.stream(), MAX_SEGMENT_BYTES);
  if (stored === "too_large") throw invalidRequest("media: the segment is too large");
  for (let slice = stored.slices; slice < SLICES_PER_SEGMENT; slice++) {
    store.media.writeSlice(media.file_id, first + slice, new Uint8Array());
  }
  const segment = { media_id: id, segment_index: index, size: stored.bytes };
  segments.insert(store, segment, "OR REPLACE");
  return Response.json({ data: { expires_at: Math.floor(media.expires_at / SECOND) } });
}

function requireWhole({ env: { store } }: Call, media: MediaRecord): void {
  const sizes = segments.list(store, { media_id: media.id }, "ORDER BY segment_index");
  const total = sizes.reduce((bytes, { size }) => bytes + size, 0);
  if (total !== media.total_bytes || sizes.some((one, index) => one.segment_index !== index)) {
    throw invalidRequest("Segments do not add up to provided total file size.");
  }
}

async function judge(
  { env: { store } }: Call,
  account: Account,
  media: MediaRecord,
  mime: string,
): Promise<number> {
  // Text files have no signature bytes.
  if (mime !== media.type && media.category !== "subtitles") return SOUNDNESS.broken;
  const longest = MAX_SECONDS[media.category];
  if (!longest) return SOUNDNESS.sound;
  const seconds = (await readMovieSeconds(store, media.file_id)) ?? 0;
  const max = isSubscriber(account) ? longest.subscriber : longest.free;
  return seconds > max ? SOUNDNESS.tooLong : SOUNDNESS.sound;
}

export async function finalize(call: Call): Promise<Response> {
  const { account } = await authenticate(call);
  const id = idOf(call);
  const { store } = call.env;
  const media = requireOpen(call, account, id);
  requireWhole(call, media);
  const file = await readStored(store, media.file_id);
  const soundness = await judge(call, account, media, file.mime);
  const owner = { platform: "x", owner: account.userId } as const;
  const named = media.category === "subtitles" ? { ...file, mime: media.type } : file;
  const at = now().getTime();
  const changed = {
    finalized: true,
    is_sound: soundness,
    file_id: sealFile(call.env, owner, media.file_id, named),
    processed_at: at + PROCESSING_SECONDS * SECOND,
    expires_at: at + 86_400 * SECOND,
  };
  mediaTable.update(store, { id }, changed);
  return Response.json({ data: toData(requireMedia(call, account, id)) });
}

export async function readStatus(call: Call): Promise<Response> {
  const { account } = await authenticate(call);
  const query = requireQuery(call, ["command", "media_id"]);
  if ((query.command ?? "STATUS") !== "STATUS") {
    throw invalidRequest("The `command` query parameter is not one of [STATUS]");
  }
  const id = query.media_id ?? "";
  if (!/^\d{1,19}$/.test(id)) throw invalidRequest(`media_id: [${id}] is no id`);
  return Response.json({ data: toData(requireMedia(call, account, id)) });
}
