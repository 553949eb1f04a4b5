import * as z from "zod";
import { FAILURE_CODES, FAILURES, NEXT_ACTIONS } from "../../core/failures.ts";
import { PLATFORMS } from "../../core/platforms.ts";
import { UPLOAD_STATUSES, type UploadStatus } from "../../core/upload-status.ts";
import { postIdArgument } from "../../mcp/arguments.ts";
import { READS, tool } from "../../mcp/tool.ts";
import { PART_KINDS } from "../../platforms/part-kinds.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { isMonth, NOT_A_MONTH } from "../archive/rules.ts";
import { downloadOf } from "../content/files.ts";
import { versionOf } from "../content/version.ts";
import { toPartAnswers } from "./parts.ts";
import { getUpload, listUploads } from "./service.ts";
import type { UploadWithAccount } from "./table.ts";

/** Few enough posts for an agent to read. */
const MAX_LISTED = 50;
const DEFAULT_LISTED = 10;

const post = z.object({
  postId: z.number().int(),
  platform: z.enum(PLATFORMS),
  accountId: z.string().nullable(),
  accountName: z.string().nullable(),
  state: z.enum(["draft", "awaiting_approval", "scheduled", "queued", "published", "failed"]),
  title: z.string().nullable(),
  text: z.string().nullable(),
  version: z
    .string()
    .describe(
      "Names the text, files, settings and date that the post has now. It differs once any of them was changed: approve nothing of which the user saw another version.",
    ),
  scheduledFor: z.string().nullable(),
  publishedAt: z.string().nullable(),
  unpublishedAt: z
    .string()
    .nullable()
    .describe("Set when the published post was taken down from the platform again."),
  url: z.string().nullable().describe("The address of the published post."),
  warnings: z
    .array(z.string())
    .describe("Of a published post: what did not go as asked, such as a part of its thread."),
  reviewComment: z
    .string()
    .nullable()
    .describe("Changes that a reviewer or client wants, in their words."),
  error: z
    .string()
    .nullable()
    .describe(
      "The platform's own words; of a draft or a post that awaits approval, why a file of it could not be downloaded.",
    ),
  nextAction: z
    .enum(NEXT_ACTIONS)
    .nullable()
    .describe(
      "The step that helps after a failure. retry, retry_later: call create_post again, at once or in an hour, with another idempotencyKey. replace_media, edit_post: call create_post with other files, or another text. reconnect_account: its owner reconnects it in the dashboard. check_platform: the post may be published, so look at the platform first.",
    ),
});

const part = z.object({
  position: z.number().int().describe("From 1; the post itself is not counted."),
  kind: z.enum(PART_KINDS).describe("post: of the thread. comment: the first comment."),
  status: z.enum(UPLOAD_STATUSES),
  platformPostId: z.string().nullable(),
  shareUrl: z.string().nullable(),
  failure: z
    .object({
      code: z.enum(FAILURE_CODES),
      retryable: z.boolean(),
      nextAction: z.enum(NEXT_ACTIONS),
    })
    .nullable(),
  errorMessage: z.string().nullable().describe("Why the part is not out."),
});

/** Source: spec, "Agent endpoint": get_post_status. */
const STATES: Record<UploadStatus, z.output<typeof post>["state"]> = {
  draft: "draft",
  pending_approval: "awaiting_approval",
  scheduled: "scheduled",
  pending: "queued",
  processing: "queued",
  completed: "published",
  failed: "failed",
};

function textsOf(
  upload: Pick<UploadWithAccount["upload"], "platform" | "title" | "description">,
): Pick<z.output<typeof post>, "title" | "text"> {
  const { title, description } = upload;
  const isTitleText = connectorOf(upload.platform).capabilities.textField === "title";
  return isTitleText ? { title: null, text: title ?? description } : { title, text: description };
}

async function toPost({ upload, account }: UploadWithAccount): Promise<z.output<typeof post>> {
  const { id, platform, status, title, description, metadata, failureCode } = upload;
  const isFailed = status === "failed";
  const download = downloadOf(upload);
  const lacksFile = download?.state === "failed";
  return {
    postId: id,
    platform,
    accountId: account?.id ?? null,
    accountName: account?.accountName ?? null,
    state: STATES[status],
    ...textsOf({ platform, title, description }),
    version: await versionOf(upload),
    scheduledFor: upload.scheduledFor?.toISOString() ?? null,
    publishedAt: upload.uploadedAt?.toISOString() ?? null,
    unpublishedAt: upload.unpublishedAt?.toISOString() ?? null,
    url: metadata?.shareUrl ?? null,
    warnings: metadata?.warnings ?? [],
    reviewComment: upload.reviewComment,
    error: isFailed ? upload.errorMessage : lacksFile ? download.message : null,
    nextAction:
      isFailed && failureCode
        ? FAILURES[failureCode].nextAction
        : lacksFile
          ? FAILURES.media_unreachable.nextAction
          : null,
  };
}

export const postStatusTool = tool({
  name: "get_post_status",
  title: "Get the status of a post",
  scope: "posts:read",
  description:
    "Gets the state of one post: draft, awaiting_approval, scheduled, queued, published with its url, or failed with the platform's words and the next step. A queued post is usually published within a minute, a long video within a few minutes: ask again then.",
  input: z.strictObject({ postId: postIdArgument.describe("From create_post.") }),
  output: post.extend({
    parts: z
      .array(part)
      .describe(
        "What follows the post, in order. Parts that failed are retried by your user on the post's page, or with POST /api/v1/upload/{id}/retry.",
      ),
  }),
  annotations: READS,
  run: async ({ ctx }, { postId }) => {
    const found = await getUpload(ctx, postId);
    const parts = toPartAnswers(found.upload).map(({ text: _, ...one }) => one);
    return { ...(await toPost(found)), parts };
  },
});

export const listPostsTool = tool({
  name: "list_recent_posts",
  title: "List recent posts",
  scope: "posts:read",
  description:
    "Lists the newest posts by planned date, else by date of creation, each with its state. Filters can be combined.",
  input: z.strictObject({
    accountId: z.string().max(100).optional(),
    platform: z.enum(PLATFORMS).optional(),
    status: z
      .enum(UPLOAD_STATUSES)
      .optional()
      .describe(
        "completed: published. pending and processing: queued. pending_approval: awaiting_approval. The other names are the same as the states.",
      ),
    archived: z
      .string()
      .max(7)
      .refine(isMonth, NOT_A_MONTH)
      .optional()
      .describe(
        "A month such as 2025-03: lists its archived posts instead. Posts move into the archive 13 months after they ended and can only be read.",
      ),
    limit: z.number().int().min(1).max(MAX_LISTED).default(DEFAULT_LISTED),
  }),
  output: z.object({
    posts: z.array(post),
    total: z.number().int().describe("All posts that match, also those that are not listed."),
  }),
  annotations: READS,
  run: async ({ ctx }, filter) => {
    const { page, total } = await listUploads(ctx, { ...filter, page: 1 });
    return { posts: await Promise.all(page.map(toPost)), total };
  },
});
