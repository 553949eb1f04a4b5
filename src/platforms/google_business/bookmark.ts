import * as z from "zod";
import { bookmarkReader } from "../kit/bookmarks.ts";

/** Times in epoch milliseconds. */
const ready = z.object({ stage: z.literal("ready"), readyAt: z.number() });

const review = z.object({
  stage: z.literal("review"),
  name: z.string(),
  since: z.number(),
  /** Grows with each look, because a place that stays the same is given up after half an hour. */
  looks: z.int(),
});

export type Ready = z.infer<typeof ready>;
export type Review = z.infer<typeof review>;

export const readBookmark = bookmarkReader(ready, review);
