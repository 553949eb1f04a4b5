import * as z from "zod";
import { bookmarkReader } from "../kit/bookmarks.ts";

/** The video is what Pinterest plays, and has not been sent yet. */
const checked = z.object({ stage: z.literal("checked") });

/** All of the video is there and looked through. */
const processing = z.object({
  stage: z.literal("processing"),
  mediaId: z.string(),
  /** Epoch milliseconds. */
  since: z.number(),
});

/** Only the pin is to be made; `mediaId` is null for images. */
const ready = z.object({
  stage: z.literal("ready"),
  mediaId: z.string().nullable(),
  /** Epoch milliseconds: no pin of this post is older. */
  readyAt: z.number(),
});

export type Processing = z.infer<typeof processing>;
export type Ready = z.infer<typeof ready>;

/** Reads the stage of a post. */
export const readBookmark = bookmarkReader(checked, processing, ready);
