import * as z from "zod";
import { MAX_LIMIT, toPagination } from "../../core/pagination.ts";
import { publicOrigin } from "../../http/env.ts";
import { idParams, readNumericId } from "../../http/ids.ts";
import { apiRoute, createRouter, json, NOT_FOUND } from "../../http/route.ts";
import {
  MAX_PER_PAGE,
  olderFilterSchema,
  olderItemSchema,
  olderPostSchema,
  toOlderItem,
  toOlderPost,
  toUpload,
  uploadFilterSchema,
  uploadSchema,
} from "./schema.ts";
import { getOlderPost, getUpload, listOlderPosts, listUploads } from "./service.ts";

export const postRoutes = createRouter();

const yes = z.literal(true);

const list = apiRoute({
  method: "get",
  path: "/upload",
  tags: ["Uploads"],
  operationId: "listUploads",
  summary: "List uploads",
  description: "Most recent first: by planned date, else by date of creation.",
  scope: "posts:read",
  limit: "read:uploads",
  request: { query: uploadFilterSchema },
  responses: json(
    z.object({
      success: yes,
      data: z.array(uploadSchema).max(MAX_LIMIT),
      pagination: z.object({
        total: z.number().int(),
        page: z.number().int(),
        limit: z.number().int(),
        totalPages: z.number().int(),
      }),
    }),
    "One page.",
  ),
});
postRoutes.openapi(list, async (c) => {
  const { ctx } = c.var;
  const filter = c.req.valid("query");
  const { page, total } = await listUploads(ctx, filter);
  const origin = publicOrigin(ctx, c.req.url);
  const data = await Promise.all(page.map((row) => toUpload(ctx, origin, row)));
  const pagination = toPagination(total, filter.page, filter.limit);
  return c.json({ success: true as const, data, pagination }, 200);
});

const get = apiRoute({
  method: "get",
  path: "/upload/{id}",
  tags: ["Uploads"],
  operationId: "getUpload",
  summary: "Read one upload",
  description:
    "The ETag is the post's `version`: send it back as If-Match to decide on just what was read.",
  scope: "posts:read",
  limit: "upload-poll",
  request: { params: idParams },
  responses: {
    ...json(z.object({ success: yes, data: uploadSchema }), "The upload."),
    ...NOT_FOUND,
  },
});
postRoutes.openapi(get, async (c) => {
  const { ctx } = c.var;
  const id = readNumericId(c.req.valid("param").id, "Upload");
  const upload = await getUpload(ctx, id);
  const data = await toUpload(ctx, publicOrigin(ctx, c.req.url), upload);
  // If-Match compares strong tags only, so this tag is strong although it does not cover the status.
  c.header("ETag", `"${data.version}"`);
  return c.json({ success: true as const, data }, 200);
});

const listOlder = apiRoute({
  method: "get",
  path: "/posts",
  tags: ["Posts (older)"],
  operationId: "listPosts",
  summary: "List posts in the older form",
  description: "Most recent first. GET /upload has more fields.",
  scope: "posts:read",
  limit: "read:posts",
  request: { query: olderFilterSchema },
  responses: json(
    z.object({
      success: yes,
      data: z.array(olderItemSchema).max(MAX_PER_PAGE),
      meta: z.object({ page: z.number().int(), perPage: z.number().int() }),
    }),
    "One page.",
  ),
});
postRoutes.openapi(listOlder, async (c) => {
  const filter = c.req.valid("query");
  const posts = await listOlderPosts(c.var.ctx, filter);
  const meta = { page: filter.page, perPage: filter.perPage };
  return c.json({ success: true as const, data: posts.map(toOlderItem), meta }, 200);
});

export const getOlder = apiRoute({
  method: "get",
  path: "/posts/{id}",
  tags: ["Posts (older)"],
  operationId: "getPost",
  summary: "Read one post in the older form",
  scope: "posts:read",
  limit: "read:posts",
  request: { params: idParams },
  responses: {
    ...json(z.object({ success: yes, data: olderPostSchema }), "The post."),
    ...NOT_FOUND,
  },
});
postRoutes.openapi(getOlder, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Post");
  const post = await getOlderPost(c.var.ctx, id);
  return c.json({ success: true as const, data: toOlderPost(post) }, 200);
});
