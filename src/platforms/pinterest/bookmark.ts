import * as z from "zod";
import { bookmarkReader } from "../kit/bookmarks.ts";

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
