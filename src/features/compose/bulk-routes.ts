import * as z from "zod";
import { PLATFORMS } from "../../core/platforms.ts";
import { resultOf } from "../../http/named-call.ts";
import { createRouter, formRoute, json, success } from "../../http/route.ts";
import { MAX_ACCOUNTS } from "../content/bounds.ts";
import { warningsSchema } from "../content/schema.ts";
import { HELD_MESSAGE } from "../posts/rules.ts";
import { createPosts, tally, validatePosts } from "./bulk.ts";
import { readBatchForm } from "./form.ts";
import { batchFormSchema } from "./form-schema.ts";
import { heldMessage } from "./schema.ts";

export const bulkRoutes = createRouter();

const platform = z.enum(PLATFORMS);
const scheduledFor = z.iso.datetime().nullable();

const bulkResult = z
  .union([
    z.object({
      accountId: z.string(),
      platform,
      success: z.literal(true),
      uploadId: z.number().int(),
      jobId: z.string(),
      scheduledFor,
      warnings: warningsSchema.optional(),
    }),
    z.object({ accountId: z.string(), success: z.literal(false), error: z.string() }),
  ])
  .meta({ id: "BulkResult" });

const create = formRoute({
  method: "post",
  path: "/upload/bulk",
  tags: ["Uploads"],
  operationId: "createUploads",
  summary: "Publish one post to many accounts",
  description:
    "Each file is stored once. Every account has its own result; an account that is refused does not stop the others.",
  scope: "posts:write",
  limit: "upload-bulk",
  idempotencyKeysOf: "operation",
  form: batchFormSchema,
  responses: json(
    z.object({
      success: z.boolean(),
      message: z.string(),
      results: z.array(bulkResult).max(MAX_ACCOUNTS),
    }),
    "The result of each account. `success` is true when at least one account has the post.",
  ),
});
bulkRoutes.openapi(create, async (c) => {
  const { ctx } = c.var;
  const call = c.var.readCall();
  const { post, looked } = await readBatchForm(ctx, c.req.raw, { call, storesFiles: true });
  const { results, isHeld } = resultOf(c, await createPosts(ctx, post, looked));
  const { taken, message } = tally(results, isHeld ? HELD_MESSAGE : null);
  return c.json({ success: taken > 0, message, results }, 200);
});

const validate = formRoute({
  method: "post",
  path: "/upload/validate",
  tags: ["Uploads"],
  operationId: "validateUploads",
  summary: "Check a batch without publishing it",
  description:
    "Takes the same body as bulk and makes the same checks, but stores nothing. The content of the files is checked when the post is published.",
  scope: "posts:write",
  limit: "write",
  form: batchFormSchema,
  responses: success(
    {
      valid: z.boolean(),
      message: heldMessage,
      errors: z.array(
        z.object({
          accountId: z.string().nullable(),
          platform: platform.nullable(),
          error: z.string(),
        }),
      ),
      targets: z
        .array(
          z.object({
            accountId: z.string(),
            platform,
            scheduledFor,
            warnings: warningsSchema.optional(),
          }),
        )
        .max(MAX_ACCOUNTS),
    },
    "All errors at once. An error without an accountId is about the whole request.",
  ),
});
bulkRoutes.openapi(validate, async (c) => {
  const { ctx } = c.var;
  const { post, looked } = await readBatchForm(ctx, c.req.raw, { storesFiles: false });
  const { errors: refusals, targets, isHeld } = await validatePosts(ctx, post, looked);
  const errors = refusals.map(({ fields: _, ...refusal }) => refusal);
  const heldNote = isHeld ? { message: HELD_MESSAGE } : {};
  const valid = errors.length === 0;
  return c.json({ success: true as const, valid, ...heldNote, errors, targets }, 200);
});
