import * as z from "zod";
import type { Bookmark } from "../connector.ts";

/** Moments in epoch milliseconds. */
const uploading = z.object({
  stage: z.literal("uploading"),
  /** Who has it may send the video: YouTube knows no other name of what is half sent. */
  sessionUri: z.string(),
  /** Bytes that YouTube has. */
  offset: z.int().min(0),
  /** When YouTube last said so. */
  storedAt: z.number(),
  /** How many sessions were opened for this video. */
  sessions: z.int(),
  /** How often YouTube had less than we believed. */
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
  /** How often the thumbnail was sent in vain. */
  thumbnailTries: z.int(),
  warnings: z.array(z.string()),
});

const bookmark = z.discriminatedUnion("stage", [uploading, processing]);

export type Uploading = z.infer<typeof uploading>;
export type Processing = z.infer<typeof processing>;

/** Where a video stands: on its way, or with YouTube. */
export const readBookmark = (stored: Bookmark) => bookmark.parse(stored);
