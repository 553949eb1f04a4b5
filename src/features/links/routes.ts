import * as z from "zod";
import { publicOrigin } from "../../http/env.ts";
import { idParams, readNumericId } from "../../http/ids.ts";
import { resultOf } from "../../http/named-call.ts";
import {
  apiRoute,
  conflict,
  createRouter,
  json,
  jsonBody,
  NOT_FOUND,
  success,
} from "../../http/route.ts";
import { BLACK } from "./colour.ts";
import { shortUrlOf } from "./destinations.ts";
import { toRule } from "./rule-schema.ts";
import * as schema from "./schema.ts";
import * as links from "./service.ts";

export const shortLinkRoutes = createRouter();

const tags = ["Short links"];
const idOf = (id: string) => readNumericId(id, "Short link");

const list = apiRoute({
  method: "get",
  path: "/short-links",
  tags,
  operationId: "listShortLinks",
  summary: "List short links",
  scope: "links:read",
  limit: "read:links",
  request: { query: schema.linkPageSchema },
  responses: success(
    {
      data: z.array(schema.linkSchema),
      pagination: z.object({
        page: z.number().int(),
        limit: z.number().int(),
        total: z.number().int(),
      }),
    },
    "Newest first.",
  ),
});
shortLinkRoutes.openapi(list, async (c) => {
  const { ctx } = c.var;
  const { rows, pagination } = await links.listLinks(ctx, c.req.valid("query"));
  const origin = publicOrigin(ctx, c.req.url);
  const data = rows.map((row) => schema.toLink(row, shortUrlOf(ctx.config, origin, row)));
  return c.json({ success: true as const, data, pagination }, 200);
});

const create = apiRoute({
  method: "post",
  path: "/short-links",
  tags,
  operationId: "createShortLink",
  summary: "Create a short link",
  description:
    "Its address answers 302 to a destination: the one of the first rule that matches the visitor, the highest priority first, or the default one. A destination is an http or https URL, and never another short link of this service.",
  scope: "links:write",
  limit: "write",
  idempotencyKeysOf: "operation",
  request: { body: jsonBody(schema.newLinkSchema) },
  responses: {
    ...json(schema.createdLinkSchema, "The link."),
    ...conflict("SLUG_TAKEN: another link has the slug."),
  },
});
shortLinkRoutes.openapi(create, async (c) => {
  const { ctx } = c.var;
  const call = c.var.readCall();
  const origin = publicOrigin(ctx, c.req.url);
  const result = resultOf(c, await links.createLink(ctx, c.req.valid("json"), { call, origin }));
  return c.json({ success: true as const, ...result }, 200);
});

const read = apiRoute({
  method: "get",
  path: "/short-links/{id}",
  tags,
  operationId: "getShortLink",
  summary: "Read a short link with its rules and clicks",
  scope: "links:read",
  limit: "read:links",
  request: { params: idParams },
  responses: { ...json(schema.wholeLinkSchema, "The link."), ...NOT_FOUND },
});
shortLinkRoutes.openapi(read, async (c) => {
  const { ctx } = c.var;
  const { link, ...clicks } = await links.getLink(ctx, idOf(c.req.valid("param").id));
  const { rules, updatedAt: _, ...row } = link;
  const shortUrl = shortUrlOf(ctx.config, publicOrigin(ctx, c.req.url), row);
  const shown = { ...schema.toLink(row, shortUrl), rules: rules.map(toRule), ...clicks };
  return c.json({ success: true as const, ...shown }, 200);
});

const change = apiRoute({
  method: "put",
  path: "/short-links/{id}",
  tags,
  operationId: "updateShortLink",
  summary: "Change a short link",
  description:
    "Fields that are left out stay as they are. `rules` replaces all rules of the link. The next visit sees the change; on a link with several visits a second it takes up to a second.",
  scope: "links:write",
  limit: "write",
  request: { params: idParams, body: jsonBody(schema.linkChangeSchema) },
  responses: {
    ...json(schema.changedLinkSchema, "The link."),
    ...NOT_FOUND,
    ...conflict("SLUG_TAKEN: another link has the slug."),
  },
});
shortLinkRoutes.openapi(change, async (c) => {
  const { ctx } = c.var;
  const origin = publicOrigin(ctx, c.req.url);
  const id = idOf(c.req.valid("param").id);
  const {
    rules,
    updatedAt: _,
    ...row
  } = await links.changeLink(ctx, id, c.req.valid("json"), { origin });
  const link = schema.toLink(row, shortUrlOf(ctx.config, origin, row));
  return c.json({ success: true as const, ...link, rules: rules.map(toRule) }, 200);
});

const remove = apiRoute({
  method: "delete",
  path: "/short-links/{id}",
  tags,
  operationId: "deleteShortLink",
  summary: "Delete a short link",
  description: "Its address answers 404 from now on. Nobody but the team can use the slug again.",
  scope: "links:write",
  limit: "destructive",
  request: { params: idParams },
  responses: { ...success({ message: z.string() }, "It is deleted."), ...NOT_FOUND },
});
shortLinkRoutes.openapi(remove, async (c) => {
  await links.deleteLink(c.var.ctx, idOf(c.req.valid("param").id));
  return c.json({ success: true as const, message: "The short link has been deleted." }, 200);
});

const code = apiRoute({
  method: "get",
  path: "/short-links/{id}/qr",
  tags: [...tags, "Extensions"],
  operationId: "getShortLinkCode",
  summary: "Read the QR code of a short link",
  description: "An SVG of the link's address that can be printed in any size.",
  scope: "links:read",
  limit: "read:links",
  request: { params: idParams },
  responses: {
    200: {
      description: "The code.",
      content: { "image/svg+xml": { schema: z.string() } },
    },
    ...NOT_FOUND,
  },
});
shortLinkRoutes.openapi(code, async (c) => {
  const { ctx } = c.var;
  const link = await links.getLinkAlone(ctx, idOf(c.req.valid("param").id));
  const { codeSvg } = await import("./code.ts");
  const svg = codeSvg(shortUrlOf(ctx.config, publicOrigin(ctx, c.req.url), link), BLACK);
  return c.body(svg, 200, { "Content-Type": "image/svg+xml" });
});
