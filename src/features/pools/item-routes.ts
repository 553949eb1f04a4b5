import * as z from "zod";
import { publicOrigin } from "../../http/env.ts";
import { renderError, toRefusal } from "../../http/errors.ts";
import { idParams, readNumericId } from "../../http/ids.ts";
import { only } from "../../http/methods.ts";
import { resultOf } from "../../http/named-call.ts";
import {
  apiRoute,
  conflict,
  createRouter,
  formRoute,
  json,
  jsonBody,
  NOT_FOUND,
} from "../../http/route.ts";
import { toNewItem } from "./bulk-items.ts";
import { changeItem } from "./change-item.ts";
import { readItemForm } from "./item-form.ts";
import {
  addedSchema,
  bulkItemsSchema,
  itemFilterSchema,
  itemFormSchema,
  itemSchema,
  toAdded,
  toItem,
} from "./item-schema.ts";
import * as items from "./items.ts";
import { moveItem } from "./order.ts";
import { asValidation } from "./refusals.ts";
import { itemChangeSchema, itemMoveSchema } from "./repeat-schema.ts";

export const poolItemRoutes = createRouter();
poolItemRoutes.onError((error, c) => renderError(asValidation(toRefusal(error, c)), c));

poolItemRoutes.use("/pools/:id/videos/bulk", only("POST"));

const yes = z.literal(true);
const tags = ["Pools"];
const FULL = "QUEUE_FULL: the pool holds as many items as it can.";

const add = formRoute({
  method: "post",
  path: "/pools/{id}/videos",
  tags,
  operationId: "addPoolItem",
  summary: "Add a video or a carousel of photos to a pool",
  description:
    "The item is published at its turn, first in, first out, to the accounts of the slot that fires, in the name of the person who added it. Items added with a token without posts:publish become posts that are held for approval. A refusal by the platform itself shows only when the item is published. Members of a team that requires approval cannot add items. An item with `repeat` returns to the end of the queue after each publication.",
  scope: "pools:write",
  limit: "upload-create",
  idempotencyKeysOf: "path",
  request: { params: idParams },
  form: itemFormSchema,
  responses: { ...json(addedSchema, "The item."), ...NOT_FOUND, ...conflict(FULL) },
});
poolItemRoutes.openapi(add, async (c) => {
  const { ctx } = c.var;
  const poolId = readNumericId(c.req.valid("param").id, "Pool");
  const call = c.var.readCall();
  const { adding, looked } = await readItemForm(ctx, c.req.raw, { poolId, call });
  const added = resultOf(c, await items.addItems(ctx, adding, looked));
  return c.json(toAdded(added), 200);
});

const addMany = apiRoute({
  method: "post",
  path: "/pools/{id}/videos/bulk",
  tags,
  operationId: "addPoolItems",
  summary: "Add up to 50 videos to a pool by their URLs or mediaIds",
  description:
    "Adds all of them, or none when one is refused. A public video is downloaded when it is published.",
  scope: "pools:write",
  limit: "upload-bulk",
  idempotencyKeysOf: "path",
  request: { params: idParams, body: jsonBody(bulkItemsSchema) },
  responses: {
    ...json(addedSchema, "The items, in the order of the call."),
    ...NOT_FOUND,
    ...conflict(FULL),
  },
});
poolItemRoutes.openapi(addMany, async (c) => {
  const { ctx } = c.var;
  const poolId = readNumericId(c.req.valid("param").id, "Pool");
  const call = c.var.readCall();
  const entries = c.req.valid("json").items;
  const done = await items.addItems(ctx, {
    poolId,
    call,
    origin: publicOrigin(ctx, c.req.url),
    items: entries.map(toNewItem),
    prefixOf: (i) => `items.${i}.`,
  });
  return c.json(toAdded(resultOf(c, done)), 200);
});

const list = apiRoute({
  method: "get",
  path: "/pools/{id}/videos",
  tags,
  operationId: "listPoolItems",
  summary: "List the items of a pool",
  description:
    "Items are listed in the order in which they were added, and published ones for 90 days.",
  scope: "pools:read",
  limit: "read:pools",
  request: { params: idParams, query: itemFilterSchema },
  responses: {
    ...json(
      z.object({
        success: yes,
        items: z.array(itemSchema),
        nextAfter: z
          .number()
          .int()
          .nullable()
          .describe("`after` of the next page; null at the end."),
      }),
      "A page of items.",
    ),
    ...NOT_FOUND,
  },
});
poolItemRoutes.openapi(list, async (c) => {
  const poolId = readNumericId(c.req.valid("param").id, "Pool");
  const { items: listed, nextAfter } = await items.listItems(
    c.var.ctx,
    poolId,
    c.req.valid("query"),
  );
  return c.json({ success: true as const, items: listed.map(toItem), nextAfter }, 200);
});

const clear = apiRoute({
  method: "delete",
  path: "/pools/{id}/videos",
  tags,
  operationId: "clearPool",
  summary: "Remove all queued items of a pool",
  scope: "pools:write",
  limit: "destructive",
  request: { params: idParams },
  responses: {
    ...json(z.object({ success: yes, removed: z.number().int() }), "The queue is empty."),
    ...NOT_FOUND,
  },
});
poolItemRoutes.openapi(clear, async (c) => {
  const poolId = readNumericId(c.req.valid("param").id, "Pool");
  const removed = await items.clearItems(c.var.ctx, poolId);
  return c.json({ success: true as const, removed }, 200);
});

const itemParams = idParams.extend({
  itemId: z.string().describe("The id, as the service gave it out."),
});

const change = apiRoute({
  method: "patch",
  path: "/pools/{id}/videos/{itemId}",
  tags: ["Pools", "Extensions"],
  operationId: "updatePoolItem",
  summary: "Change a queued item: its texts, how it repeats, and what follows its posts",
  scope: "pools:write",
  limit: "write",
  request: { params: itemParams, body: jsonBody(itemChangeSchema) },
  responses: {
    ...json(z.object({ success: yes, item: itemSchema }), "The item."),
    ...NOT_FOUND,
    ...conflict("NOT_CANCELLABLE: it is being published, or is not in the queue any more."),
  },
});
poolItemRoutes.openapi(change, async (c) => {
  const { id, itemId } = c.req.valid("param");
  const poolId = readNumericId(id, "Pool");
  const item = await changeItem(
    c.var.ctx,
    poolId,
    readNumericId(itemId, "Item"),
    c.req.valid("json"),
  );
  return c.json({ success: true as const, item: toItem(item) }, 200);
});

const move = apiRoute({
  method: "post",
  path: "/pools/{id}/videos/{itemId}/move",
  tags: ["Pools", "Extensions"],
  operationId: "movePoolItem",
  summary: "Move a queued item to another place in the queue",
  scope: "pools:write",
  limit: "write",
  request: { params: itemParams, body: jsonBody(itemMoveSchema) },
  responses: {
    ...json(z.object({ success: yes }), "It is there."),
    ...NOT_FOUND,
    ...conflict("NOT_CANCELLABLE: one of the two does not wait in the queue."),
  },
});
poolItemRoutes.openapi(move, async (c) => {
  const { id, itemId } = c.req.valid("param");
  await moveItem(c.var.ctx, {
    poolId: readNumericId(id, "Pool"),
    id: readNumericId(itemId, "Item"),
    before: c.req.valid("json").before,
  });
  return c.json({ success: true as const }, 200);
});

const remove = apiRoute({
  method: "delete",
  path: "/pools/{id}/videos/{itemId}",
  tags,
  operationId: "removePoolItem",
  summary: "Remove a queued item from a pool",
  scope: "pools:write",
  limit: "destructive",
  request: { params: itemParams },
  responses: {
    ...json(z.object({ success: yes }), "Removed."),
    ...NOT_FOUND,
    ...conflict("NOT_CANCELLABLE: its turn has come."),
  },
});
poolItemRoutes.openapi(remove, async (c) => {
  const { id, itemId } = c.req.valid("param");
  const poolId = readNumericId(id, "Pool");
  await items.removeItem(c.var.ctx, poolId, readNumericId(itemId, "Item"));
  return c.json({ success: true as const }, 200);
});
