import * as z from "zod";
import { FAILURES, type FailureCode } from "../../core/failures.ts";
import { PLAN_NAMES } from "../../core/plans.ts";
import { PLATFORMS } from "../../core/platforms.ts";
import { PART_KINDS } from "../../platforms/part-kinds.ts";
import { SUGGESTION_STATUSES } from "../suggestions/table.ts";

const upload = { uploadId: z.int(), platform: z.enum(PLATFORMS) };
const uploadOfAccount = { ...upload, accountId: z.string() };
/** `version`: the reviewed version, missing in old events. */
const reviewed = {
  ...upload,
  reviewedBy: z.enum(["client", "team"]),
  version: z.string().optional(),
};
const account = { accountId: z.string(), platform: z.enum(PLATFORMS), accountName: z.string() };
const subscription = z.strictObject({
  plan: z.enum(PLAN_NAMES).nullable(),
  previousPlan: z.enum(PLAN_NAMES).nullable(),
});
const suggestion = {
  suggestionId: z.int(),
  title: z.string(),
  status: z.enum(SUGGESTION_STATUSES),
};

const metadata = z.strictObject({
  videoId: z.string(),
  shareUrl: z.string().nullable(),
  warnings: z.array(z.string()).optional(),
});

const failure = z.custom<{ code: FailureCode } & (typeof FAILURES)[FailureCode]>((value) => {
  const { code, ...rule } = value as { code: FailureCode };
  return JSON.stringify(rule) === JSON.stringify(FAILURES[code]);
});

/** Each event's `data`. Source: spec, "Events". */
export const EVENTS = {
  "upload.completed": z.strictObject({
    ...uploadOfAccount,
    status: z.literal("completed"),
    metadata,
  }),
  "upload.failed": z.strictObject({
    ...uploadOfAccount,
    status: z.literal("failed"),
    errorMessage: z.string(),
    failure,
  }),
  "upload.part_failed": z.strictObject({
    ...uploadOfAccount,
    position: z.int().min(1),
    kind: z.enum(PART_KINDS),
    errorMessage: z.string(),
    failure,
  }),
  "upload.scheduled": z.strictObject({ ...uploadOfAccount, scheduledFor: z.iso.datetime() }),
  /** `scheduledFor` is null for a post that was due at once. */
  "upload.cancelled": z.strictObject({
    ...uploadOfAccount,
    scheduledFor: z.iso.datetime().nullable(),
  }),
  "upload.edited": z.strictObject({
    ...uploadOfAccount,
    title: z.string().nullable(),
    description: z.string().nullable(),
    metadata,
  }),
  "upload.unpublished": z.strictObject({
    ...uploadOfAccount,
    unpublishedAt: z.iso.datetime(),
    metadata,
  }),
  "upload.changes_requested": z.strictObject({ ...reviewed, comment: z.string() }),
  "upload.approved": z.strictObject({ ...reviewed, scheduledFor: z.iso.datetime().nullable() }),
  /** `reason` is present when an apparently expired login could be renewed. */
  "connected_account.connected": z.strictObject({ ...account, reason: z.string().optional() }),
  "connected_account.disconnected": z.strictObject(account),
  "connected_account.expired": z.strictObject({ ...account, reason: z.string() }),
  "connected_account.refresh_failed": z.strictObject({ ...account, reason: z.string() }),
  "subscription.created": subscription,
  "subscription.updated": subscription,
  "subscription.cancelled": subscription,
  "subscription.expired": subscription,
  "suggestion.created": z.strictObject(suggestion),
  "suggestion.updated": z.strictObject({
    ...suggestion,
    previousStatus: z.enum(SUGGESTION_STATUSES),
  }),
  /** `email` is null when any address may accept. */
  "team.invite": z.strictObject({
    inviteId: z.int(),
    email: z.string().nullable(),
    role: z.enum(["ADMIN", "MEMBER"]),
  }),
  /** Sent only to the tested webhook. */
  "webhook.ping": z.strictObject({ webhookId: z.int(), message: z.string() }),
  "security.login": z.strictObject({ userId: z.int(), method: z.enum(["link", "passkey"]) }),
} as const satisfies Record<string, z.ZodType>;

export type EventName = keyof typeof EVENTS;

/** Source: spec, "Events". */
export const SUBSCRIBABLE = Object.keys(EVENTS).filter((name) => name !== "webhook.ping") as [
  EventName,
  ...EventName[],
];

export type EventData<N extends EventName = EventName> = z.output<(typeof EVENTS)[N]>;

export const envelopeSchema = z
  .object({
    id: z.string(),
    event: z.string(),
    createdAt: z.iso.datetime(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "Event" });

export type Envelope = z.infer<typeof envelopeSchema>;
