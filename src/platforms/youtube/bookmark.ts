import * as z from "zod";
import type { PublishJob } from "../connector.ts";
import { bookmarkReader } from "../kit/bookmarks.ts";
import type { YouTubeSettings } from "./settings.ts";

export type Job = PublishJob<YouTubeSettings>;

/** Times in epoch milliseconds. */
const uploading = z.object({
  stage: z.literal("uploading"),
  /** The URL grants access, and is an unfinished upload's only id. */
  sessionUri: z.string(),
  offset: z.int().min(0),
  /** When YouTube last confirmed `offset`. */
  storedAt: z.number(),
  sessions: z.int(),
  /** How often YouTube lost stored bytes. */
  setbacks: z.int(),
  /** When only the last chunk was left. */
  readyAt: z.number().optional(),
  warnings: z.array(z.string()),
});

const processing = z.object({
  stage: z.literal("processing"),
  videoId: z.string(),
  since: z.number(),
  privacyStatus: z.string().nullable(),
  thumbnailTries: z.int(),
  warnings: z.array(z.string()),
});

export type Uploading = z.infer<typeof uploading>;
export type Processing = z.infer<typeof processing>;

export const readBookmark = bookmarkReader(uploading, processing);
