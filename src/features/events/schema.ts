import * as z from "zod";
import { enableDescriptions } from "../../http/describing.ts";
import { wholeNumber } from "../../http/whole-number.ts";
import { envelopeSchema, SUBSCRIBABLE } from "./catalogue.ts";

enableDescriptions();

/** Spec is silent. */
const PAGE = { default: 100, max: 1_000 };

export const eventFeedSchema = z.object({
  after: z
    .string()
    .regex(/^evt_[0-9a-f]{1,28}$/, "must be the nextCursor of an earlier page")
    .optional()
    .describe("`nextCursor` of the page before; left out, the feed begins 30 days ago."),
  limit: wholeNumber(/^[1-9]\d{0,3}$/, PAGE.max, PAGE.default).describe("Events on the page."),
  type: z.enum(SUBSCRIBABLE).optional().describe("Events of this name alone."),
});

export type EventFeed = z.output<typeof eventFeedSchema>;

export const eventPageSchema = z.object({
  success: z.literal(true),
  data: z.array(envelopeSchema),
  nextCursor: z
    .string()
    .describe("Pass it as `after` to go on from here, at once or any time later."),
  hasMore: z
    .boolean()
    .describe("Further events are stored already: ask for the next page at once."),
});
