import type * as z from "zod";
import { namedFile } from "../compose/media.ts";
import type { NewMedia } from "../compose/new-post.ts";
import { toRawParts } from "./item-parts.ts";
import type { bulkItemsSchema } from "./item-schema.ts";
import type { NewItem } from "./items.ts";

type BulkItem = z.output<typeof bulkItemsSchema>["items"][number];

export const toNewItem = (entry: BulkItem): NewItem => ({
  title: entry.title,
  description: entry.description ?? null,
  metadata: entry.metadata ?? null,
  altText: entry.altText,
  parts: toRawParts(entry),
  repeat: entry.repeat ?? null,
  variants: entry.variants ?? null,
  media: mediaOf(entry),
});

const mediaOf = ({ videoUrl: url, mediaId }: BulkItem): NewMedia[] => [
  ...(url === undefined ? [] : [{ role: "video" as const, field: "videoUrl", url }]),
  ...(mediaId === undefined ? [] : [namedFile(mediaId, "mediaId")]),
];
