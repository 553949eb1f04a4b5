import * as z from "zod";
import { AppError } from "../../core/errors.ts";
import {
  errorSchema,
  forbiddenSchema,
  invalidSchema,
  refusal,
  tooManySchema,
} from "../../http/answers.ts";
import { bodyOf } from "../../http/body.ts";
import { countUser } from "../../http/caller.ts";
import { publicOrigin } from "../../http/env.ts";
import { resultOf } from "../../http/named-call.ts";
import { createRouter, json, ownBodyRoute } from "../../http/route.ts";
import { ROUTE_NAMES } from "./rules.ts";
import {
  limitsSchema,
  presignedFileSchema,
  presignSchema,
  readPresignRequest,
  usageSchema,
} from "./schema.ts";

export const presignRoutes = createRouter();

/** Source: spec, "Request and rate limits". */
const MAX_BODY_BYTES = 256_000;

const presign = ownBodyRoute({
  method: "post",
  path: "/upload/presign",
  tags: ["Large files"],
  operationId: "presignFiles",
  summary: "Upload large files straight to storage",
  description:
    "Answers addresses to which you PUT the bytes; afterwards, pass `bucketUrl` or `accessUrl` unchanged as `video`, `photo`, `file` or `thumbnail` of a post. With `multipart`: PUT each range of bytes to its `uploadUrl`, several at a time if you like, keep the ETag of each reply, and POST the list to `completeUrl` as a CompleteMultipartUpload in XML. 120 calls in 15 minutes per user.",
  scope: "posts:write",
  limit: "presign-address",
  idempotencyKeysOf: "operation",
  body: presignSchema,
  responses: {
    ...json(
      z.object({
        success: z.literal(true),
        files: z.array(presignedFileSchema),
        usage: usageSchema,
      }),
      "The files in the order of the call.",
    ),
    400: refusal(
      "INVALID_JSON, INVALID_REQUEST, TOO_MANY_FILES, FILE_TOO_LARGE or INVALID_FILE_TYPE; the last three with `limits`.",
      invalidSchema.extend({ limits: limitsSchema.optional() }),
    ),
    403: refusal(
      "STORAGE_QUOTA_EXCEEDED (with `usage`), INSUFFICIENT_SCOPE (with `requiredScope`) or FORBIDDEN.",
      forbiddenSchema.extend({ usage: usageSchema.optional() }),
    ),
    404: refusal(
      "UNKNOWN_ROUTE (with `validRoutes`).",
      errorSchema.extend({ validRoutes: z.array(z.enum(ROUTE_NAMES)).optional() }),
    ),
    413: refusal("BODY_TOO_LARGE: the body is larger than 256 KB.", errorSchema),
    429: refusal(
      "RATE_LIMIT: wait as Retry-After and `retryAfter` say.",
      tooManySchema.extend({ retryAfter: z.number().int().optional().describe("Seconds.") }),
      "RateLimit",
      "RateLimit-Policy",
      "Retry-After",
    ),
    503: refusal(
      "Storage does not answer, or is not set up (UNAVAILABLE).",
      errorSchema,
      "Retry-After",
    ),
  },
});
presignRoutes.openapi(presign, async (c) => {
  const { ctx } = c.var;
  const { lookUp, presignFiles } = await import("./service.ts");
  const call = c.var.readCall();
  const looked = await lookUp(ctx, call);
  await countUser(c, ctx.actor.userId, "presign");
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(c.req.header("content-type") ?? "")) {
    const message = "Send the body with Content-Type: application/json.";
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", message);
  }
  const request = readPresignRequest(await readBody(c.req.raw));
  const origin = publicOrigin(ctx, c.req.url);
  const result = resultOf(c, await presignFiles(ctx, request, { call, origin, looked }));
  return c.json({ success: true as const, ...result }, 200);
});

/** @throws AppError BODY_TOO_LARGE */
const readBody = (request: Request): Promise<Uint8Array> =>
  bodyOf(request)
    .readAll(MAX_BODY_BYTES, async () => {})
    .catch((error) => {
      if (!(error instanceof AppError) || error.status !== 413) throw error;
      throw new AppError("BODY_TOO_LARGE", "The request body is larger than 256 KB. Send less.");
    });
