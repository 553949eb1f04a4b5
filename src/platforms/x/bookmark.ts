import * as z from "zod";
import type { Bookmark, PublishJob } from "../connector.ts";
import type { XSettings } from "./settings.ts";

export type Job = PublishJob<XSettings>;

const mediaId = z.string().regex(/^\d+$/);

/** A file that goes up in segments. */
const upload = z.object({
  mediaId,
  /** The segment to be sent, counted from 0. */
  segmentIndex: z.int().min(0),
  /** How far X is with all of it, in percent; null while bytes are still to come. */
  processed: z.number().nullable(),
});

const preparing = z.object({
  stage: z.literal("preparing"),
  /** Null: they have not been looked up yet. */
  taggedIds: z.array(mediaId).nullable(),
  subtitles: z.discriminatedUnion("state", [
    z.object({ state: z.literal("missing") }),
    z.object({ state: z.literal("uploaded"), id: mediaId }),
    z.object({ state: z.literal("done") }),
  ]),
  /** Of the first files, in their order; each is complete. */
  mediaIds: z.array(mediaId),
  upload: upload.nullable(),
  /** What the video goes up as; X asks for it again when subtitles are added. */
  videoCategory: z.enum(["tweet_video", "amplify_video"]).default("tweet_video"),
  /** How many of the files have their alternative text. */
  described: z.int().min(0),
  warnings: z.array(z.string()),
});

const ready = z.object({
  stage: z.literal("ready"),
  taggedIds: z.array(mediaId),
  mediaIds: z.array(mediaId),
  warnings: z.array(z.string()),
  /** Epoch milliseconds: no post of ours is older. */
  readyAt: z.number(),
});

const bookmark = z.discriminatedUnion("stage", [preparing, ready]);

export type Upload = z.infer<typeof upload>;
export type Preparing = z.infer<typeof preparing>;
export type Ready = z.infer<typeof ready>;

/** Where a post stands. */
export const readBookmark = (stored: Bookmark) => bookmark.parse(stored);

export function readReady(stored: Bookmark): Ready {
  const at = readBookmark(stored);
  if (at.stage !== "ready") throw new Error("A post that is still prepared cannot be sent.");
  return at;
}
