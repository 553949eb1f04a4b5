import * as z from "zod";
import { PLATFORMS } from "../../core/platforms.ts";
import type { Unpublished } from "./service.ts";

export const unpublishedSchema = z
  .object({
    id: z.number().int(),
    status: z.literal("completed"),
    platform: z.enum(PLATFORMS),
    platformPostId: z.string().describe("The id that the post had on the platform."),
    shareUrl: z.string().nullable().describe("The address that the post had."),
    unpublishedAt: z.iso.datetime(),
  })
  .meta({ id: "UnpublishedUpload" });

export const toUnpublished = ({
  upload: { id, platform, metadata },
  unpublishedAt,
}: Unpublished): z.infer<typeof unpublishedSchema> => ({
  id,
  status: "completed",
  platform,
  platformPostId: metadata?.videoId ?? "",
  shareUrl: metadata?.shareUrl ?? null,
  unpublishedAt: unpublishedAt.toISOString(),
});
