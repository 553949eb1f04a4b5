import * as z from "zod";

/**
 * A wake-up call as it travels through queues: it names a row and never its state. It may come late, twice
 * or not at all; the row decides.
 */
export const publishMessage = z.object({ kind: z.literal("publish"), uploadId: z.number().int() });

export type PublishMessage = z.infer<typeof publishMessage>;

/** As above: it names deliveries by when they are due (ms) and the id of their event. */
export const deliverMessage = z.object({
  kind: z.literal("deliver"),
  due: z.array(z.tuple([z.number(), z.string()])),
});

export type DeliverMessage = z.infer<typeof deliverMessage>;
