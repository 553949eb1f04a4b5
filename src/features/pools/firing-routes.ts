import * as z from "zod";
import { renderError, toRefusal } from "../../http/errors.ts";
import { idParams, readNumericId } from "../../http/ids.ts";
import { apiRoute, createRouter, json, NOT_FOUND } from "../../http/route.ts";
import { readCapacity } from "./capacity.ts";
import {
  capacitySchema,
  comingFiringSchema,
  countSchema,
  firingPageSchema,
  firingSchema,
  previewSchema,
} from "./firing-schema.ts";
import { listFirings, previewFirings } from "./firings.ts";
import { asValidation } from "./refusals.ts";

export const poolFiringRoutes = createRouter();
poolFiringRoutes.onError((error, c) => renderError(asValidation(toRefusal(error, c)), c));

const yes = z.literal(true);
const tags = ["Pools"];
const extension = ["Pools", "Extensions"];

const capacity = apiRoute({
  method: "get",
  path: "/pools/{id}/capacity",
  tags,
  operationId: "getPoolCapacity",
  summary: "Read how long a pool lasts",
  scope: "pools:read",
  limit: "read:pools",
  request: { params: idParams, query: countSchema },
  responses: {
    ...json(capacitySchema, "The queue now, and after adding `count` items."),
    ...NOT_FOUND,
  },
});
poolFiringRoutes.openapi(capacity, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Pool");
  const result = await readCapacity(c.var.ctx, id, c.req.valid("query").count);
  return c.json({ success: true as const, ...result }, 200);
});

const preview = apiRoute({
  method: "get",
  path: "/pools/{id}/preview",
  tags: extension,
  operationId: "previewPool",
  summary: "Look ahead at what a pool will publish",
  description:
    "The coming firings, with the item that would go as things stand now. None while the pool is switched off.",
  scope: "pools:read",
  limit: "read:pools",
  request: { params: idParams, query: previewSchema },
  responses: {
    ...json(
      z.object({ success: yes, firings: z.array(comingFiringSchema) }),
      "In the order in which they come.",
    ),
    ...NOT_FOUND,
  },
});
poolFiringRoutes.openapi(preview, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Pool");
  const firings = await previewFirings(c.var.ctx, id, c.req.valid("query").days);
  return c.json({ success: true as const, firings }, 200);
});

const past = apiRoute({
  method: "get",
  path: "/pools/{id}/firings",
  tags: extension,
  operationId: "listPoolFirings",
  summary: "List what a pool's slots did",
  description:
    "Lists past firings, with the reason when nothing was published. They are kept for 90 days.",
  scope: "pools:read",
  limit: "read:pools",
  request: { params: idParams, query: firingPageSchema },
  responses: {
    ...json(
      z.object({
        success: yes,
        firings: z.array(firingSchema),
        nextBefore: z.string().nullable().describe("`before` of the next page; null at the end."),
      }),
      "Newest first.",
    ),
    ...NOT_FOUND,
  },
});
poolFiringRoutes.openapi(past, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Pool");
  const page = await listFirings(c.var.ctx, id, c.req.valid("query"));
  return c.json({ success: true as const, ...page }, 200);
});
