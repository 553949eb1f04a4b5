import * as z from "zod";
import { PLATFORM_ABSENT } from "../../http/answers.ts";
import { idParams, readNumericId } from "../../http/ids.ts";
import {
  apiRoute,
  createRouter,
  errorSchema,
  NOT_FOUND,
  refusal,
  success,
} from "../../http/route.ts";
import { toUnpublished, unpublishedSchema } from "./schema.ts";
import { unpublishUpload } from "./service.ts";

export const unpublishingRoutes = createRouter();

const notUnpublishedSchema = errorSchema
  .extend({
    shareUrl: z
      .string()
      .nullable()
      .optional()
      .describe("With NOT_UNPUBLISHABLE: the address of the post, which is still there."),
  })
  .meta({ id: "NotUnpublished" });

const unpublish = apiRoute({
  method: "post",
  path: "/upload/{id}/unpublish",
  tags: ["Uploads", "Extensions"],
  operationId: "unpublishUpload",
  summary: "Take a published post down",
  description:
    "Deletes the post at its platform. It stays `completed`, with `unpublishedAt`, and counts under caps, quotas and the rules about repeated posts as before. A post that the platform does not have any more counts as taken down. Asked again, the answer is the same. For owners and admins.",
  scope: "posts:publish",
  limit: "destructive",
  request: { params: idParams },
  responses: {
    ...success({ message: z.string(), data: unpublishedSchema }, "The post is down."),
    ...NOT_FOUND,
    409: refusal(
      "NOT_UNPUBLISHABLE: the platform or this login deletes no posts; the message says what to do by hand. NOT_PUBLISHED. UPLOAD_LOCKED: the post is being published or taken down. ACCOUNT_INACTIVE: reconnect the account first. ARCHIVED: the post ended long ago and is in the archive.",
      notUnpublishedSchema,
    ),
    ...PLATFORM_ABSENT,
  },
});
unpublishingRoutes.openapi(unpublish, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Upload");
  const unpublished = await unpublishUpload(c.var.ctx, id);
  const { message } = unpublished;
  return c.json({ success: true as const, message, data: toUnpublished(unpublished) }, 200);
});
