import * as z from "zod";
import { MAX_LIMIT, toPagination } from "../../core/pagination.ts";
import { publicOrigin } from "../../http/env.ts";
import {
  apiRoute,
  createRouter,
  formRoute,
  json,
  jsonBody,
  NOT_FOUND,
  refusal,
} from "../../http/route.ts";
import {
  fileChangeSchema,
  fileDetailSchema,
  fileFilterSchema,
  fileSchema,
  inUseSchema,
  keptLimitSchema,
  keptUsageSchema,
  newFileSchema,
  toFile,
  toItem,
  toUse,
} from "./schema.ts";
import * as library from "./service.ts";

export const libraryRoutes = createRouter();

const yes = z.literal(true);
const tags = ["Media", "Extensions"];
const params = z.object({ mediaId: z.string().describe("The mediaId of the file.") });
const one = z.object({ success: yes, data: fileSchema });
const keepsTooMuch = {
  409: refusal("PLAN_LIMIT: the plan has no room for another kept file.", keptLimitSchema),
};

const list = apiRoute({
  method: "get",
  path: "/media",
  tags,
  operationId: "listMedia",
  summary: "List the team's files",
  description: "Newest first: files of posts and pools, and files that were added on their own.",
  scope: "posts:read",
  limit: "read:media",
  request: { query: fileFilterSchema },
  responses: json(
    z.object({
      success: yes,
      data: z.array(fileSchema).max(MAX_LIMIT),
      pagination: z.object({
        total: z.number().int(),
        page: z.number().int(),
        limit: z.number().int(),
        totalPages: z.number().int(),
      }),
      kept: keptUsageSchema,
    }),
    "One page.",
  ),
});
libraryRoutes.openapi(list, async (c) => {
  const { ctx } = c.var;
  const filter = c.req.valid("query");
  const { files, total, usage } = await library.listFiles(ctx, filter);
  const origin = publicOrigin(ctx, c.req.url);
  const data = await Promise.all(files.map((file) => toFile(ctx, origin, file)));
  const pagination = toPagination(total, filter.page, filter.limit);
  return c.json({ success: true as const, data, pagination, kept: usage }, 200);
});

const add = formRoute({
  method: "post",
  path: "/media",
  tags,
  operationId: "addMedia",
  summary: "Add a file without a post",
  description:
    "The same content is the same file again. A file that is not kept and has no post is removed after as long as the files of published posts.",
  scope: "posts:write",
  limit: "write",
  form: newFileSchema,
  responses: { ...json(one, "The file."), ...keepsTooMuch },
});
libraryRoutes.openapi(add, async (c) => {
  const { ctx } = c.var;
  const [{ readFileForm }, changes] = await Promise.all([
    import("./form.ts"),
    import("./change.ts"),
  ]);
  const file = await changes.addFile(ctx, await readFileForm(ctx, c.req.raw));
  const data = await toFile(ctx, publicOrigin(ctx, c.req.url), file);
  return c.json({ success: true as const, data }, 200);
});

const get = apiRoute({
  method: "get",
  path: "/media/{mediaId}",
  tags,
  operationId: "getMedia",
  summary: "Read one file and where it is used",
  scope: "posts:read",
  limit: "read:media",
  request: { params },
  responses: {
    ...json(z.object({ success: yes, data: fileDetailSchema }), "The file."),
    ...NOT_FOUND,
  },
});
libraryRoutes.openapi(get, async (c) => {
  const { ctx } = c.var;
  const { file, uses, items } = await library.getFile(ctx, c.req.valid("param").mediaId);
  const own = await toFile(ctx, publicOrigin(ctx, c.req.url), file);
  const data = { ...own, usedBy: uses.map(toUse), poolItems: items.map(toItem) };
  return c.json({ success: true as const, data }, 200);
});

const change = apiRoute({
  method: "patch",
  path: "/media/{mediaId}",
  tags,
  operationId: "updateMedia",
  summary: "Rename a file, keep it, or stop keeping it",
  scope: "posts:write",
  limit: "write",
  request: { params, body: jsonBody(fileChangeSchema) },
  responses: { ...json(one, "The file."), ...NOT_FOUND, ...keepsTooMuch },
});
libraryRoutes.openapi(change, async (c) => {
  const { ctx } = c.var;
  const { mediaId } = c.req.valid("param");
  const changes = await import("./change.ts");
  const file = await changes.changeFile(ctx, mediaId, c.req.valid("json"));
  const data = await toFile(ctx, publicOrigin(ctx, c.req.url), file);
  return c.json({ success: true as const, data }, 200);
});

const remove = apiRoute({
  method: "delete",
  path: "/media/{mediaId}",
  tags,
  operationId: "deleteMedia",
  summary: "Remove a file",
  description: "Also a kept one. Published posts stay as they are; their small picture too.",
  scope: "posts:write",
  limit: "destructive",
  request: { params },
  responses: {
    ...json(z.object({ success: yes, message: z.string() }), "The file is removed."),
    ...NOT_FOUND,
    409: refusal(
      "MEDIA_IN_USE: a post, a pool or a review link still needs the file.",
      inUseSchema,
    ),
  },
});
libraryRoutes.openapi(remove, async (c) => {
  const changes = await import("./change.ts");
  await changes.removeFile(c.var.ctx, c.req.valid("param").mediaId);
  return c.json({ success: true as const, message: "The file is removed." }, 200);
});
