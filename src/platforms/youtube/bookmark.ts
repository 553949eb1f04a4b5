import * as z from "zod";
import { bookmarkReader } from "../kit/bookmarks.ts";

/** Moments in epoch milliseconds. */
const uploading = z.object({
  stage: z.literal("uploading"),
  /** Anyone who has this address can send the video; it is also the only name of an unfinished upload. */
  sessionUri: z.string(),
  /** Bytes that YouTube has. */
  offset: z.int().min(0),
  /** When YouTube last said so. */
  storedAt: z.number(),
  /** Number of sessions that were opened for this video. */
  sessions: z.int(),
  /** Times that YouTube had fewer bytes than we believed. */
  setbacks: z.int(),
  /** When only the last chunk was left, before it was sent. */
  readyAt: z.number().optional(),
  warnings: z.array(z.string()),
});

const processing = z.object({
  stage: z.literal("processing"),
  videoId: z.string(),
  since: z.number(),
  /** As YouTube told it; null where it did not. */
  privacyStatus: z.string().nullable(),
  /** Times that the thumbnail was sent in vain. */
  thumbnailTries: z.int(),
  warnings: z.array(z.string()),
});

export type Uploading = z.infer<typeof uploading>;
export type Processing = z.infer<typeof processing>;

/** Reads the stage of a video: on its way, or with YouTube. */
export const readBookmark = bookmarkReader(uploading, processing);
