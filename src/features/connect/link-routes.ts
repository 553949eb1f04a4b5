import * as z from "zod";
import { notFound } from "../../core/errors.ts";
import { publicOrigin } from "../../http/env.ts";
import { idParams, readNumericId } from "../../http/ids.ts";
import {
  apiRoute,
  conflict,
  createRouter,
  jsonBody,
  NOT_FOUND,
  openRoute,
  success,
} from "../../http/route.ts";
import { connectorOf } from "../../platforms/registry.ts";
import * as links from "./link-service.ts";
import { linkPath } from "./rules.ts";
import * as schema from "./schema.ts";
import { accountUntilAudit } from "./service.ts";

export const linkRoutes = createRouter();
export const linkInviteRoutes = createRouter();

const tags = ["White-label"];

const create = apiRoute({
  method: "post",
  path: "/whitelabel/links",
  tags,
  operationId: "createConnectionLink",
  summary: "Make a link for a client",
  description:
    "A page under your logo and title, where a client connects an account to your team. It works once.",
  scope: "accounts:write",
  limit: "write",
  request: { body: jsonBody(schema.newLinkSchema) },
  responses: {
    ...success({ data: schema.linkSchema }, "The link."),
    ...conflict("PLAN_LIMIT: as many links are pending as a team may have."),
  },
});
linkRoutes.openapi(create, async (c) => {
  const { ctx } = c.var;
  const { id, token, expiresAt, status } = await links.createLink(ctx, c.req.valid("json"), null);
  const url = publicOrigin(ctx, c.req.url) + linkPath(token);
  const link = { id, token, url, expiresAt: expiresAt.toISOString(), status, inviteLink: url };
  return c.json({ success: true as const, data: link }, 200);
});

const list = apiRoute({
  method: "get",
  path: "/whitelabel/links",
  tags,
  operationId: "listConnectionLinks",
  summary: "List links for clients",
  description:
    "All pending links and the newest others, newest first. A link is deleted 30 days after its expiry date.",
  scope: "accounts:read",
  limit: "read:accounts",
  responses: success({ data: z.array(schema.listedLinkSchema) }, "The team's links."),
});
linkRoutes.openapi(list, async (c) => {
  const rows = await links.listLinks(c.var.ctx);
  const data = rows.map(({ id, token, platform, status, createdAt, expiresAt }) => ({
    id,
    token,
    platform,
    status,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  }));
  return c.json({ success: true as const, data }, 200);
});

const remove = apiRoute({
  method: "delete",
  path: "/whitelabel/links/{id}",
  tags,
  operationId: "deleteConnectionLink",
  summary: "Delete a link that is pending",
  scope: "accounts:write",
  limit: "destructive",
  request: { params: idParams },
  responses: {
    ...success({ message: z.string() }, "It is deleted."),
    ...NOT_FOUND,
    ...conflict("NOT_CANCELLABLE: the link was used, is being used, or has expired."),
  },
});
linkRoutes.openapi(remove, async (c) => {
  await links.deleteLink(c.var.ctx, readNumericId(c.req.valid("param").id, "Link"));
  return c.json({ success: true as const, message: "The link has been deleted." }, 200);
});

/** Spec is silent on the path. */
const readInvite = openRoute({
  method: "get",
  path: "/whitelabel/invites/{token}",
  tags,
  operationId: "getConnectionInvite",
  summary: "Read what a link's page shows",
  limit: "read:invites",
  request: { params: z.object({ token: z.string().describe("The link's token.") }) },
  responses: { ...success({ data: schema.inviteSchema }, "The link, used or not."), ...NOT_FOUND },
});
linkInviteRoutes.openapi(readInvite, async (c) => {
  const { deps } = c.var;
  const link = await links.findLink(deps, c.req.valid("param").token);
  if (link === "forged" || link === "withdrawn") throw notFound("Link");
  const { row, status, logo, asks, identifierLabel } = link;
  const { platform, mode, title, description } = row;
  const { service, privacy, access } = connectorOf(platform).terms ?? {};
  const logoUrl = logo?.startsWith("/") ? publicOrigin(deps, c.req.url) + logo : logo;
  const expiresAt = row.expiresAt.toISOString();
  const invite = {
    platform,
    mode,
    status,
    expiresAt,
    title,
    description,
    logoUrl,
    asks,
    identifierLabel,
    untilAudit: accountUntilAudit(deps, platform),
    terms: service && privacy && access ? { service, privacy, access } : null,
  };
  return c.json({ success: true as const, data: invite }, 200);
});
