import * as z from "zod";
import type { Bookmark } from "../connector.ts";

const place = z.object({
  /** Of the message. Null for the channel itself, and for a new thread of a forum. */
  threadId: z.string().nullable(),
  nonce: z.string(),
  readyAt: z.number(),
});

export type Place = z.output<typeof place>;

export const readBookmark = (stored: Bookmark): Place => place.parse(stored);
