import * as z from "zod";
import { renderError, toRefusal } from "../../http/errors.ts";
import { idParams, readNumericId } from "../../http/ids.ts";
import { apiRoute, conflict, createRouter, json, jsonBody, NOT_FOUND } from "../../http/route.ts";
import { asValidation } from "./refusals.ts";
import {
  newPoolSchema,
  newSlotSchema,
  poolChangeSchema,
  poolSchema,
  slotChangeSchema,
  slotSchema,
  toPool,
  toSlot,
} from "./schema.ts";
import * as pools from "./service.ts";

export const poolRoutes = createRouter();
poolRoutes.onError((error, c) => renderError(asValidation(toRefusal(error, c)), c));

const yes = z.literal(true);
const tags = ["Pools"];
const extension = ["Pools", "Extensions"];
const done = (description: string) => json(z.object({ success: yes }), description);
const slotParams = idParams.extend({
  slotId: z.string().describe("The id, as the service gave it out."),
});
const BUSY = "QUEUE_BUSY: others change the pool at this moment.";
const FULL = "PLAN_LIMIT: there are as many as there can be.";

const list = apiRoute({
  method: "get",
  path: "/pools",
  tags,
  operationId: "listPools",
  summary: "List pools",
  scope: "pools:read",
  limit: "read:pools",
  responses: json(z.object({ success: yes, pools: z.array(poolSchema) }), "Oldest first."),
});
poolRoutes.openapi(list, async (c) => {
  const list = await pools.listPools(c.var.ctx);
  return c.json({ success: true as const, pools: list.map(toPool) }, 200);
});

const onePool = (description: string) =>
  json(z.object({ success: yes, pool: poolSchema }), description);

const create = apiRoute({
  method: "post",
  path: "/pools",
  tags: extension,
  operationId: "createPool",
  summary: "Create a pool",
  description:
    "A pool is a queue of videos and photos. At each of its slots the item that waits longest is published to the accounts of the slot. In a team that requires approval, members cannot change what pools publish.",
  scope: "pools:write",
  limit: "write",
  request: { body: jsonBody(newPoolSchema) },
  responses: { ...onePool("The pool."), ...conflict(FULL) },
});
poolRoutes.openapi(create, async (c) => {
  const pool = await pools.createPool(c.var.ctx, c.req.valid("json"), null);
  return c.json({ success: true as const, pool: toPool(pool) }, 200);
});

const get = apiRoute({
  method: "get",
  path: "/pools/{id}",
  tags,
  operationId: "getPool",
  summary: "Read a pool",
  scope: "pools:read",
  limit: "read:pools",
  request: { params: idParams },
  responses: { ...onePool("The pool."), ...NOT_FOUND },
});
poolRoutes.openapi(get, async (c) => {
  const pool = await pools.getPool(c.var.ctx, readNumericId(c.req.valid("param").id, "Pool"));
  return c.json({ success: true as const, pool: toPool(pool) }, 200);
});

const change = apiRoute({
  method: "patch",
  path: "/pools/{id}",
  tags: extension,
  operationId: "updatePool",
  summary: "Change a pool",
  description:
    "When the time zone changes, slots keep their times of day. The change never makes a slot fire twice on a local day.",
  scope: "pools:write",
  limit: "write",
  request: { params: idParams, body: jsonBody(poolChangeSchema) },
  responses: { ...onePool("The pool."), ...NOT_FOUND, ...conflict(BUSY) },
});
poolRoutes.openapi(change, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Pool");
  const pool = await pools.changePool(c.var.ctx, id, c.req.valid("json"));
  return c.json({ success: true as const, pool: toPool(pool) }, 200);
});

const remove = apiRoute({
  method: "delete",
  path: "/pools/{id}",
  tags: extension,
  operationId: "deletePool",
  summary: "Delete a pool",
  description: "Items that wait in it are removed. Posts that are on their way stay.",
  scope: "pools:write",
  limit: "destructive",
  request: { params: idParams },
  responses: { ...done("Deleted."), ...NOT_FOUND },
});
poolRoutes.openapi(remove, async (c) => {
  await pools.deletePool(c.var.ctx, readNumericId(c.req.valid("param").id, "Pool"));
  return c.json({ success: true as const }, 200);
});

const oneSlot = (description: string) =>
  json(z.object({ success: yes, slot: slotSchema }), description);

const addSlot = apiRoute({
  method: "post",
  path: "/pools/{id}/slots",
  tags: extension,
  operationId: "createSlot",
  summary: "Add a slot to a pool",
  description:
    "The slot fires at its time of day on each of its days, in the pool's time zone. When the clocks change, a time that is skipped fires at the first valid minute after it, and a time that comes twice fires only the first time.",
  scope: "pools:write",
  limit: "write",
  request: { params: idParams, body: jsonBody(newSlotSchema) },
  responses: { ...oneSlot("The slot."), ...NOT_FOUND, ...conflict(`${FULL} ${BUSY}`) },
});
poolRoutes.openapi(addSlot, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Pool");
  const slot = await pools.addSlot(c.var.ctx, id, c.req.valid("json"), null);
  return c.json({ success: true as const, slot: toSlot(slot) }, 200);
});

const changeSlot = apiRoute({
  method: "patch",
  path: "/pools/{id}/slots/{slotId}",
  tags: extension,
  operationId: "updateSlot",
  summary: "Change a slot",
  description:
    "The change never makes a slot fire twice on a local day, and a slot that is due still fires.",
  scope: "pools:write",
  limit: "write",
  request: { params: slotParams, body: jsonBody(slotChangeSchema) },
  responses: { ...oneSlot("The slot."), ...NOT_FOUND, ...conflict(BUSY) },
});
poolRoutes.openapi(changeSlot, async (c) => {
  const slot = await pools.changeSlot(c.var.ctx, toSlotIds(c), c.req.valid("json"));
  return c.json({ success: true as const, slot: toSlot(slot) }, 200);
});

const removeSlot = apiRoute({
  method: "delete",
  path: "/pools/{id}/slots/{slotId}",
  tags: extension,
  operationId: "deleteSlot",
  summary: "Delete a slot",
  scope: "pools:write",
  limit: "destructive",
  request: { params: slotParams },
  responses: { ...done("Deleted."), ...NOT_FOUND },
});
poolRoutes.openapi(removeSlot, async (c) => {
  await pools.deleteSlot(c.var.ctx, toSlotIds(c));
  return c.json({ success: true as const }, 200);
});

interface SlotRequest {
  req: { valid(target: "param"): { id: string; slotId: string } };
}

/** @throws AppError NOT_FOUND for a malformed id */
const toSlotIds = ({ req }: SlotRequest) => ({
  poolId: readNumericId(req.valid("param").id, "Pool"),
  slotId: readNumericId(req.valid("param").slotId, "Slot"),
});
