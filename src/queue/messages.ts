import * as z from "zod";

/**
 * What travels through queues: a wake-up call that names a row and never its state. It may come
 * late, twice or not at all; the row decides.
 */
export const publishMessage = z.object({ kind: z.literal("publish"), uploadId: z.number().int() });

export type PublishMessage = z.infer<typeof publishMessage>;
