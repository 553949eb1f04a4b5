import * as z from "zod";
import { PLATFORMS } from "../../core/platforms.ts";
import { BROKEN_TEXT, isBrokenText } from "../../core/text.ts";
import { enableDescriptions } from "../../http/describing.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { AUDIENCES, REMOVALS } from "../../platforms/rehearsal.ts";
import { byHandOf, describe, hasLink, mayBeOut, NEXT, OUTCOMES, STAGES } from "./rules.ts";
import type { Step } from "./step.ts";
import type { RehearsalRow } from "./table.ts";

enableDescriptions();

const MAX_NOTE = 100;

export const newRehearsalSchema = z
  .strictObject({
    accountId: z.string().trim().min(1).max(100).describe("The account to publish with."),
    note: z
      .string()
      .trim()
      .max(MAX_NOTE)
      .refine((text) => !isBrokenText(text), BROKEN_TEXT)
      .refine((text) => !hasLink(text), "must hold no link, and no name such as example.com")
      .default("")
      .describe("Words at the end of the post's text, without links."),
  })
  .meta({ id: "NewRehearsal" });

export type NewRehearsal = z.output<typeof newRehearsalSchema>;

export const stepSchema = z
  .strictObject({
    acceptPublic: z
      .boolean()
      .default(false)
      .describe("Agrees that other people may see the post until it is deleted."),
  })
  .meta({ id: "RehearsalStep" });

export const forgettingSchema = z.object({
  unpublished: z
    .enum(["true", "false"])
    .default("false")
    .describe("`true` forgets it only before anything was sent to publish the post."),
});

export const rehearsalSchema = z
  .object({
    id: z.number().int(),
    accountId: z.string(),
    platform: z.enum(PLATFORMS),
    text: z.string().describe("The text of the post."),
    stage: z.enum(STAGES),
    outcome: z
      .enum(OUTCOMES)
      .nullable()
      .describe(
        "Null until it is over. `left`: the post is still there; `unknown`: it may be there; `forgotten`: it is no longer listed.",
      ),
    audience: z
      .enum(AUDIENCES)
      .nullable()
      .describe("Who can see the post. Null until it is planned."),
    removal: z
      .enum(REMOVALS)
      .nullable()
      .describe(
        "Whether the account's login can delete the post. `unknown`: its permissions are unknown, and it is tried; `needless`: nothing is published. Null until it is planned.",
      ),
    mayBeOut: z.boolean().describe("Whether the post is, or may be, at the platform."),
    platformPostId: z.string().nullable(),
    shareUrl: z.string().nullable(),
    summary: z.string().describe("What is out, in sentences."),
    byHand: z
      .string()
      .nullable()
      .describe(
        "Where the owner deletes the post, or what becomes of it. Null when nothing is left to delete.",
      ),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: "Rehearsal" });

export const recordedCallSchema = z
  .object({
    method: z.string(),
    address: z.string().describe("Without the values of parameters that may be secret."),
    status: z.number().int().nullable().describe("Null when the platform did not answer."),
    ms: z.number().int(),
    answer: z.string().nullable().describe("The beginning of the answer, without secrets."),
  })
  .meta({ id: "RecordedCall" });

export const stepAnswer = {
  data: rehearsalSchema,
  next: z
    .enum(NEXT)
    .describe(
      "`step`: call again after `afterSeconds`. `ask`: others would see the post, so call again with acceptPublic. `stop`: reconnect the account first. `over`: nothing follows.",
    ),
  afterSeconds: z.number().describe("Wait before the next step."),
  note: z.string().nullable().describe("What happened in this step."),
  calls: z.array(recordedCallSchema).describe("The calls to the platform in this step."),
};

export function toRehearsal(row: RehearsalRow): z.infer<typeof rehearsalSchema> {
  const { id, accountId, platform, text, stage, outcome, platformPostId, shareUrl } = row;
  const connector = connectorOf(platform);
  return {
    id,
    accountId,
    platform,
    text,
    stage,
    outcome,
    audience: row.plan?.audience ?? null,
    removal: row.plan?.removal ?? null,
    mayBeOut: mayBeOut(row),
    platformPostId,
    shareUrl,
    summary: describe(row, connector),
    byHand: byHandOf(row, connector),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

export const toStep = ({ row, next, afterSeconds, note, calls }: Step) => ({
  data: toRehearsal(row),
  next,
  afterSeconds,
  note,
  calls,
});
