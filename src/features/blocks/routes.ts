import * as z from "zod";
import { apiRoute, createRouter, jsonBody, NOT_FOUND, success } from "../../http/route.ts";
import { blockName, blockSchema, newBlockSchema, toBlock } from "./schema.ts";
import * as blocks from "./service.ts";

export const blockRoutes = createRouter();

const tags = ["Text blocks", "Extensions"];
const params = z.object({ name: blockName.describe("The name of the block.") });

const list = apiRoute({
  method: "get",
  path: "/blocks",
  tags,
  operationId: "listBlocks",
  summary: "List the team's text blocks",
  scope: "posts:read",
  limit: "read:blocks",
  responses: success({ data: z.array(blockSchema) }, "By name."),
});
blockRoutes.openapi(list, async (c) => {
  const rows = await blocks.listBlocks(c.var.ctx);
  return c.json({ success: true as const, data: rows.map(toBlock) }, 200);
});

const save = apiRoute({
  method: "put",
  path: "/blocks/{name}",
  tags,
  operationId: "saveBlock",
  summary: "Make or replace a text block",
  description:
    "Posts name it as `{block:name}` in title, description, caption, thread and first comment. The text is put in when the post is made; posts that are made already keep theirs.",
  scope: "posts:write",
  limit: "write",
  request: { params, body: jsonBody(newBlockSchema) },
  responses: success({ data: blockSchema }, "The block."),
});
blockRoutes.openapi(save, async (c) => {
  const { name } = c.req.valid("param");
  const row = await blocks.saveBlock(c.var.ctx, { name, ...c.req.valid("json") });
  return c.json({ success: true as const, data: toBlock(row) }, 200);
});

const remove = apiRoute({
  method: "delete",
  path: "/blocks/{name}",
  tags,
  operationId: "deleteBlock",
  summary: "Delete a text block",
  scope: "posts:write",
  limit: "destructive",
  request: { params },
  responses: { ...success({ message: z.string() }, "The block is gone."), ...NOT_FOUND },
});
blockRoutes.openapi(remove, async (c) => {
  await blocks.deleteBlock(c.var.ctx, c.req.valid("param").name);
  return c.json({ success: true as const, message: "Block deleted." }, 200);
});
