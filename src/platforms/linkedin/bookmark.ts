import * as z from "zod";
import type { Bookmark } from "../connector.ts";
import { bookmarkReader, placeAt } from "../kit/bookmarks.ts";

/** Images or a document: the URNs of those that have been sent. */
const files = z.object({ stage: z.literal("files"), assets: z.array(z.string()) });

/** A video on its way. */
const video = z.object({
  stage: z.literal("video"),
  video: z.string(),
  uploadToken: z.string(),
  /** Which parts are still to be sent, as `pack` writes it. */
  progress: z.string(),
});

/** All is sent, LinkedIn looks through it. `available`: how many of the files are through. */
const processing = z.object({
  stage: z.literal("processing"),
  assets: z.array(z.string()),
  available: z.int(),
  /** Times that LinkedIn has refused to tell its progress. */
  forbidden: z.int().optional(),
  /** Epoch milliseconds. */
  since: z.number(),
});

const ready = z.object({
  stage: z.literal("ready"),
  assets: z.array(z.string()),
  /** Epoch milliseconds: before the post was made. */
  readyAt: z.number(),
});

export type Place = ReturnType<typeof readBookmark>;
export type FilesPlace = z.infer<typeof files>;
export type VideoPlace = z.infer<typeof video>;
export type ProcessingPlace = z.infer<typeof processing>;
export type ReadyPlace = z.infer<typeof ready>;

export const readBookmark = bookmarkReader(files, video, processing, ready);

/** @throws when nothing has been made ready */
export const readReady = (stored: Bookmark): ReadyPlace => placeAt(readBookmark(stored), "ready");
