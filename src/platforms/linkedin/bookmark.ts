import * as z from "zod";
import type { Bookmark } from "../connector.ts";
import { bookmarkReader, placeAt } from "../kit/bookmarks.ts";

const files = z.object({ stage: z.literal("files"), assets: z.array(z.string()) });

const video = z.object({
  stage: z.literal("video"),
  video: z.string(),
  uploadToken: z.string(),
  progress: z.string(),
});

/** `available`: how many files are processed. */
const processing = z.object({
  stage: z.literal("processing"),
  assets: z.array(z.string()),
  available: z.int(),
  forbidden: z.int().optional(),
  /** Epoch milliseconds. */
  since: z.number(),
});

const ready = z.object({
  stage: z.literal("ready"),
  assets: z.array(z.string()),
  /** Epoch milliseconds, before the post was made. */
  readyAt: z.number(),
});

export type FilesPlace = z.infer<typeof files>;
export type VideoPlace = z.infer<typeof video>;
export type ProcessingPlace = z.infer<typeof processing>;
export type ReadyPlace = z.infer<typeof ready>;

export const readBookmark = bookmarkReader(files, video, processing, ready);

/** @throws Error at any other stage */
export const readReady = (stored: Bookmark): ReadyPlace => placeAt(readBookmark(stored), "ready");
