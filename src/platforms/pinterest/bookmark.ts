import * as z from "zod";
import type { Bookmark, PublishJob } from "../connector.ts";
import { bookmarkReader, placeAt } from "../kit/bookmarks.ts";
import type { PinterestSettings } from "./settings.ts";

export type Job = PublishJob<PinterestSettings>;

const checked = z.object({ stage: z.literal("checked") });

const processing = z.object({
  stage: z.literal("processing"),
  mediaId: z.string(),
  /** Epoch milliseconds. */
  since: z.number(),
});

const ready = z.object({
  stage: z.literal("ready"),
  mediaId: z.string().nullable(),
  /** Epoch milliseconds; the pin cannot be older. */
  readyAt: z.number(),
});

export type Processing = z.infer<typeof processing>;
export type Ready = z.infer<typeof ready>;

export const readBookmark = bookmarkReader(checked, processing, ready);

/** @throws Error at any other stage */
export const readReady = (stored: Bookmark): Ready => placeAt(readBookmark(stored), "ready");
