import * as z from "zod";
import { idParams, readNumericId } from "../../http/ids.ts";
import { resultOf } from "../../http/named-call.ts";
import { apiRoute, conflict, createRouter, json, jsonBody, NOT_FOUND } from "../../http/route.ts";
import {
  createdWebhookSchema,
  deliveryPageSchema,
  deliverySchema,
  newWebhookSchema,
  replayFailedSchema,
  secretOf,
  toDelivery,
  toWebhook,
  webhookChangeSchema,
  webhookSchema,
} from "./schema.ts";
import * as webhooks from "./service.ts";

export const webhookRoutes = createRouter();

const yes = z.literal(true);
const tags = ["Webhooks"];
const confirmation = (description: string) =>
  json(z.object({ success: yes, message: z.string() }), description);

const list = apiRoute({
  method: "get",
  path: "/webhooks",
  tags,
  operationId: "listWebhooks",
  summary: "List webhooks",
  scope: "webhooks:read",
  limit: "read:webhooks",
  responses: json(z.object({ success: yes, data: z.array(webhookSchema) }), "Oldest first."),
});
webhookRoutes.openapi(list, async (c) => {
  const rows = await webhooks.listWebhooks(c.var.ctx);
  return c.json({ success: true as const, data: rows.map(toWebhook) }, 200);
});

const create = apiRoute({
  method: "post",
  path: "/webhooks",
  tags,
  operationId: "createWebhook",
  summary: "Create a webhook",
  description:
    "Each event that it subscribes to is sent as a POST: JSON with `id`, `event`, `createdAt` and `data`, and the headers X-Webhook-Event, X-Webhook-ID (the event's id: the same on every attempt, to ignore duplicates by), X-Webhook-Timestamp (Unix seconds) and X-Webhook-Signature: the hexadecimal HMAC-SHA256, by the webhook's secret, of the timestamp, a dot and the body as it was sent. Answer 2xx within 10 seconds; anything else is tried again after 30 seconds, 2 minutes, 10 minutes, 1 hour and 6 hours. Events may come twice, and in any order.",
  scope: "webhooks:write",
  limit: "write",
  idempotencyKeysOf: "operation",
  request: { body: jsonBody(newWebhookSchema) },
  responses: {
    ...json(z.object({ success: yes, data: createdWebhookSchema }), "The webhook and its secret."),
    ...conflict("PLAN_LIMIT: the team has as many webhooks as it can."),
  },
});
webhookRoutes.openapi(create, async (c) => {
  const { ctx } = c.var;
  const call = c.var.readCall();
  const data = resultOf(c, await webhooks.createWebhook(ctx, c.req.valid("json"), call));
  return c.json({ success: true as const, data }, 200);
});

const change = apiRoute({
  method: "patch",
  path: "/webhooks/{id}",
  tags,
  operationId: "updateWebhook",
  summary: "Switch a webhook on or off",
  description:
    "A webhook that is off gets no events, and events that wait to be sent again are not sent any more. GET /events has them for 30 days.",
  scope: "webhooks:write",
  limit: "write",
  request: { params: idParams, body: jsonBody(webhookChangeSchema) },
  responses: {
    ...json(z.object({ success: yes, data: webhookSchema }), "The webhook."),
    ...NOT_FOUND,
  },
});
webhookRoutes.openapi(change, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Webhook");
  const row = await webhooks.switchWebhook(c.var.ctx, id, c.req.valid("json").isActive);
  return c.json({ success: true as const, data: toWebhook(row) }, 200);
});

const remove = apiRoute({
  method: "delete",
  path: "/webhooks/{id}",
  tags,
  operationId: "deleteWebhook",
  summary: "Delete a webhook",
  scope: "webhooks:write",
  limit: "destructive",
  request: { params: idParams },
  responses: { ...confirmation("Deleted."), ...NOT_FOUND },
});
webhookRoutes.openapi(remove, async (c) => {
  await webhooks.deleteWebhook(c.var.ctx, readNumericId(c.req.valid("param").id, "Webhook"));
  return c.json({ success: true as const, message: "The webhook has been deleted." }, 200);
});

const ping = apiRoute({
  method: "post",
  path: "/webhooks/{id}/test",
  tags,
  operationId: "testWebhook",
  summary: "Try a webhook out",
  description:
    "Sends `webhook.ping`, once, also to a webhook that is switched off. The log shows how it went.",
  scope: "webhooks:write",
  limit: "write",
  request: { params: idParams },
  responses: { ...confirmation("On its way."), ...NOT_FOUND },
});
webhookRoutes.openapi(ping, async (c) => {
  await webhooks.testWebhook(c.var.ctx, readNumericId(c.req.valid("param").id, "Webhook"));
  const message = "A ping is on its way. GET /webhooks/{id}/deliveries shows how it went.";
  return c.json({ success: true as const, message }, 200);
});

const deliveries = apiRoute({
  method: "get",
  path: "/webhooks/{id}/deliveries",
  tags,
  operationId: "listDeliveries",
  summary: "Read the log of a webhook",
  description: "One entry for each attempt, kept for 30 days.",
  scope: "webhooks:read",
  limit: "read:webhooks",
  request: { params: idParams, query: deliveryPageSchema },
  responses: {
    ...json(z.object({ success: yes, data: z.array(deliverySchema) }), "Newest first."),
    ...NOT_FOUND,
  },
});
webhookRoutes.openapi(deliveries, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Webhook");
  const rows = await webhooks.listDeliveries(c.var.ctx, id, c.req.valid("query").limit);
  return c.json({ success: true as const, data: rows.map(toDelivery) }, 200);
});

const replay = apiRoute({
  method: "post",
  path: "/webhooks/{id}/deliveries/{deliveryId}/replay",
  tags,
  operationId: "replayDelivery",
  summary: "Send an event again",
  description: "The event is sent with its own id and the same payload, and gets new attempts.",
  scope: "webhooks:write",
  limit: "write",
  request: {
    params: idParams.extend({ deliveryId: z.string().describe("The id that the log shows.") }),
  },
  responses: {
    ...json(
      z.object({ success: yes, data: z.object({ eventId: z.string() }) }),
      "The event is on its way.",
    ),
    ...NOT_FOUND,
    ...conflict("WEBHOOK_DISABLED: the webhook is switched off."),
  },
});
webhookRoutes.openapi(replay, async (c) => {
  const { id, deliveryId } = c.req.valid("param");
  const webhookId = readNumericId(id, "Webhook");
  const eventId = await webhooks.replayDelivery(c.var.ctx, webhookId, deliveryId);
  return c.json({ success: true as const, data: { eventId } }, 200);
});

const replayAll = apiRoute({
  method: "post",
  path: "/webhooks/{id}/replay-failed",
  tags: [...tags, "Extensions"],
  operationId: "replayFailed",
  summary: "Send failed events again",
  description:
    "Sends again up to 500 events, oldest first, whose attempts since an instant all failed. Events that still wait for their next attempt, or for a replay, are left out: call again until `replayed` is 0.",
  scope: "webhooks:write",
  limit: "write",
  request: { params: idParams, body: jsonBody(replayFailedSchema) },
  responses: {
    ...json(
      z.object({ success: yes, data: z.object({ replayed: z.number().int() }) }),
      "The events are on their way.",
    ),
    ...NOT_FOUND,
    ...conflict("WEBHOOK_DISABLED: the webhook is switched off."),
  },
});
webhookRoutes.openapi(replayAll, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Webhook");
  const replayed = await webhooks.replayFailed(c.var.ctx, id, c.req.valid("json").since);
  return c.json({ success: true as const, data: { replayed } }, 200);
});

const rotate = apiRoute({
  method: "post",
  path: "/webhooks/{id}/rotate-secret",
  tags,
  operationId: "rotateSecret",
  summary: "Give a webhook a new secret",
  description: "The new secret signs from this moment on, also events that are being sent again.",
  scope: "webhooks:write",
  limit: "write",
  request: { params: idParams },
  responses: {
    ...json(z.object({ success: yes, data: z.object(secretOf) }), "The new secret."),
    ...NOT_FOUND,
  },
});
webhookRoutes.openapi(rotate, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Webhook");
  const secret = await webhooks.rotateSecret(c.var.ctx, id);
  return c.json({ success: true as const, data: { secret } }, 200);
});
