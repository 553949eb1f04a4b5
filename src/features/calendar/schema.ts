import * as z from "zod";
import { FAILURE_CODES } from "../../core/failures.ts";
import { PLATFORMS } from "../../core/platforms.ts";
import { parseInstant } from "../../core/time.ts";
import { UPLOAD_STATUSES } from "../../core/upload-status.ts";
import type { Deps } from "../../deps.ts";
import { enableDescriptions } from "../../http/describing.ts";
import { platformFilter } from "../content/schema.ts";
import type { PlacedPost } from "./repo/posts.ts";
import {
  type Edge,
  MAX_DAYS,
  MAX_ENTRIES,
  MAX_FEEDS,
  rangeRefusal,
  readDay,
  SHOWN_CHARACTERS,
} from "./rules.ts";
import { type Calendar, type Entry, postsOf } from "./service.ts";
import type { FeedRow } from "./table.ts";
import { thumbnailsOf } from "./thumbnails.ts";

enableDescriptions();

const edge = z
  .string({ error: "is needed: a date such as 2026-11-01" })
  .transform((text, ctx): Edge => {
    const day = readDay(text);
    if (day) return { day };
    const at = parseInstant(text);
    if (at) return { at };
    ctx.addIssue({
      code: "custom",
      message:
        "must be a date such as 2026-11-01, or an instant with an offset, such as 2026-11-01T00:00:00Z",
    });
    return z.NEVER;
  })
  .openapi({ type: "string" });

export const calendarQuerySchema = z
  .object({
    from: edge.describe(
      "The first day in the workspace's zone, such as 2026-11-01, or an instant with an offset.",
    ),
    to: edge.describe(
      `The end, not included: a day or an instant, ${MAX_DAYS} days later at most.`,
    ),
    account: z.string().max(100).optional().describe("Entries of this account."),
    platform: platformFilter.describe("Entries of one platform."),
    tag: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .optional()
      .describe("Entries of accounts with this tag."),
    status: z
      .enum(UPLOAD_STATUSES, { error: `must be one of ${UPLOAD_STATUSES.join(", ")}` })
      .optional()
      .describe("Posts in this state, without firings."),
  })
  .superRefine(({ from, to }, ctx) => {
    const message = rangeRefusal(from, to);
    if (message) ctx.addIssue({ code: "custom", path: ["to"], message });
  });

const dateTime = z.iso.datetime();

const postSchema = z
  .object({
    kind: z.literal("post"),
    id: z.string(),
    at: dateTime.describe("When it is planned; when it was published; when a failed post was due."),
    uploadId: z.number().int(),
    accountId: z.string(),
    accountName: z.string().nullable(),
    platform: z.enum(PLATFORMS),
    status: z.enum(UPLOAD_STATUSES),
    text: z.string().describe(`The first ${SHOWN_CHARACTERS} characters of title or description.`),
    posts: z.number().int().describe("More than 1 for a thread."),
    thumbnailUrl: z.string().nullable().describe("Of the first picture."),
    failureCode: z.enum(FAILURE_CODES).nullable(),
    unpublishedAt: dateTime.nullable(),
  })
  .meta({ id: "CalendarPost" });

const firingSchema = z
  .object({
    kind: z.literal("firing"),
    id: z.string(),
    at: dateTime,
    poolId: z.string(),
    poolName: z.string(),
    slotId: z.string(),
    wallTime: z.string().describe("Local time in the pool's zone, such as 2027-03-28T03:00."),
    accountIds: z.array(z.string()),
    item: z
      .object({ id: z.number().int(), title: z.string() })
      .nullable()
      .describe(
        "The item that would be published; null when the queue has none by then, or when that is too far ahead to say.",
      ),
  })
  .meta({ id: "CalendarFiring" });

export const calendarSchema = z.object({
  success: z.literal(true),
  zone: z.string().describe("The workspace's zone, in which days begin."),
  data: z
    .array(z.discriminatedUnion("kind", [postSchema, firingSchema]))
    .max(MAX_ENTRIES)
    .describe("Oldest first."),
  truncated: z.boolean(),
  narrow: z
    .array(z.iso.date())
    .optional()
    .describe(
      "With truncated: the days whose entries are not all here. Ask for them by themselves.",
    ),
});

type CalendarAnswer = Omit<z.infer<typeof calendarSchema>, "success">;
type EntryAnswer = CalendarAnswer["data"][number];

export async function toCalendarAnswer(
  deps: Pick<Deps, "config" | "now">,
  origin: string,
  { clock, names, entries, narrow }: Calendar,
): Promise<CalendarAnswer> {
  const thumbnailOf = await thumbnailsOf(deps, origin, postsOf(entries));
  const data = entries.map(
    (entry): EntryAnswer =>
      entry.kind === "firing"
        ? toFiringAnswer(entry)
        : toPostAnswer(entry, {
            accountName: names.get(entry.post.accountId) ?? null,
            thumbnailUrl: thumbnailOf(entry.post),
          }),
  );
  const truncated = narrow.length > 0;
  return { zone: clock.zone, data, truncated, ...(truncated ? { narrow } : {}) };
}

const toPostAnswer = (
  { at, post }: PlacedPost,
  { accountName, thumbnailUrl }: { accountName: string | null; thumbnailUrl: string | null },
): EntryAnswer => ({
  kind: "post",
  id: String(post.id),
  at: new Date(at).toISOString(),
  uploadId: post.id,
  accountId: post.accountId,
  accountName,
  platform: post.platform,
  status: post.status,
  text: post.text,
  posts: post.posts,
  thumbnailUrl,
  failureCode: post.status === "failed" ? post.failureCode : null,
  unpublishedAt: post.unpublishedAt?.toISOString() ?? null,
});

const toFiringAnswer = ({ at, firing }: Extract<Entry, { kind: "firing" }>): EntryAnswer => ({
  kind: "firing",
  id: `${firing.slotId}-${at}`,
  at: new Date(at).toISOString(),
  poolId: String(firing.pool.id),
  poolName: firing.pool.name,
  slotId: String(firing.slotId),
  wallTime: firing.wallTime,
  accountIds: [...firing.accountIds],
  item: firing.item,
});

export const feedSchema = z
  .object({
    id: z.number().int(),
    createdBy: z.number().int().describe("The person who made it, with whose membership it ends."),
    createdAt: dateTime,
  })
  .meta({ id: "CalendarFeed" });

export const feedListSchema = z.object({
  success: z.literal(true),
  data: z.array(feedSchema).max(MAX_FEEDS),
});

export const newFeedSchema = feedSchema
  .extend({
    url: z.string().describe("The secret address. It is shown once."),
  })
  .meta({ id: "NewCalendarFeed" });

export const toFeed = ({ id, createdBy, createdAt }: FeedRow): z.infer<typeof feedSchema> => ({
  id,
  createdBy,
  createdAt: createdAt.toISOString(),
});
