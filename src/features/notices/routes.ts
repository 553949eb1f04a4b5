import * as z from "zod";
import { describeBrowser } from "../../core/browsers.ts";
import { publicOrigin } from "../../http/env.ts";
import { idParams, readNumericId } from "../../http/ids.ts";
import { apiRoute, createRouter, json, jsonBody, NOT_FOUND } from "../../http/route.ts";
import { newBrowserSchema } from "./schema.ts";
import { removeBrowser, subscribeBrowser } from "./service.ts";

export const noticeRoutes = createRouter();

const yes = z.literal(true);
const tags = ["Settings", "Extensions"];

const subscribe = apiRoute({
  method: "post",
  path: "/settings/push",
  tags,
  operationId: "subscribePush",
  summary: "Get your notices in a browser",
  description:
    "The body is what `PushSubscription.toJSON()` answers in the browser, which subscribed with `push.publicKey` of GET /settings. A known browser is renewed.",
  scope: "team:write",
  limit: "write",
  request: { body: jsonBody(newBrowserSchema) },
  responses: json(
    z.object({ success: yes, data: z.object({ id: z.number().int() }) }),
    "The id of the subscription.",
  ),
});
noticeRoutes.openapi(subscribe, async (c) => {
  const { endpoint, keys } = c.req.valid("json");
  const label = describeBrowser(c.req.header("user-agent") ?? null);
  const origin = publicOrigin(c.var.deps, c.req.url);
  const id = await subscribeBrowser(c.var.ctx, { endpoint, keys, label, origin });
  return c.json({ success: true as const, data: { id } }, 200);
});

const unsubscribe = apiRoute({
  method: "delete",
  path: "/settings/push/{id}",
  tags,
  operationId: "unsubscribePush",
  summary: "Stop notices in a browser",
  scope: "team:write",
  limit: "destructive",
  request: { params: idParams },
  responses: {
    ...json(z.object({ success: yes, message: z.string() }), "Removed."),
    ...NOT_FOUND,
  },
});
noticeRoutes.openapi(unsubscribe, async (c) => {
  await removeBrowser(c.var.ctx, readNumericId(c.req.valid("param").id, "Browser"));
  return c.json({ success: true as const, message: "The browser gets no notices any more." }, 200);
});
