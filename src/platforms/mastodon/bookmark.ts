import * as z from "zod";
import type { Bookmark, PublishJob } from "../connector.ts";
import { bookmarkReader, placeAt } from "../kit/bookmarks.ts";
import type { MastodonSettings } from "./settings.ts";

export type Job = PublishJob<MastodonSettings>;

const preparing = z.object({
  stage: z.literal("preparing"),
  mediaIds: z.array(z.string()),
  /** The last file is being processed since then, epoch ms. */
  processingSince: z.number().nullable(),
});

const ready = z.object({
  stage: z.literal("ready"),
  mediaIds: z.array(z.string()),
  /** Known to this post alone, so that the server recognizes a repeated call. */
  key: z.string(),
  /** Epoch ms. */
  readyAt: z.number(),
});

export type Preparing = z.infer<typeof preparing>;
export type Ready = z.infer<typeof ready>;

export const readBookmark = bookmarkReader(preparing, ready);

/** @throws Error for a bookmark at any other stage */
export const readReady = (stored: Bookmark): Ready => placeAt(readBookmark(stored), "ready");
