import * as z from "zod";
import { MAX_REVIEWED } from "./rules.ts";

/** Entries of a request, with repetitions. */
const MAX_NAMED = 1_000;

export const newReviewLinkSchema = z
  .strictObject({
    uploadIds: z
      .array(z.number().int().positive().max(Number.MAX_SAFE_INTEGER))
      .min(1, "must name a post; leave it out for all that await approval")
      .max(MAX_NAMED)
      .transform((ids) => [...new Set(ids)])
      .refine(
        (ids) => ids.length <= MAX_REVIEWED,
        `must name at most ${MAX_REVIEWED} different posts`,
      )
      .optional()
      .describe(
        `Drafts, which are submitted, and posts that await approval; up to ${MAX_REVIEWED} different ones. Default: every post that awaits approval, the soonest ${MAX_REVIEWED}.`,
      ),
  })
  .meta({ id: "NewReviewLink" });

export const reviewLinkSchema = z
  .object({
    url: z.string().describe("The address of the page: send it to the client."),
    expiresAt: z.iso.datetime(),
    uploadIds: z
      .array(z.number().int())
      .max(MAX_REVIEWED)
      .describe("In the order in which the page shows them."),
  })
  .meta({ id: "ReviewLink" });
