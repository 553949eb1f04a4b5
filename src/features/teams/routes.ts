import * as z from "zod";
import { publicOrigin } from "../../http/env.ts";
import { idParams, readNumericId } from "../../http/ids.ts";
import { apiRoute, conflict, createRouter, json, jsonBody, NOT_FOUND } from "../../http/route.ts";
import { CHANGE_MESSAGES } from "./rules.ts";
import * as schema from "./schema.ts";
import * as teams from "./service.ts";

export const teamRoutes = createRouter();

const yes = z.literal(true);
const tags = ["Teams"];
const extension = ["Teams", "Extensions"];
const confirmation = json(z.object({ success: yes, message: z.string() }), "Done.");

const get = apiRoute({
  method: "get",
  path: "/teams",
  tags,
  operationId: "getTeam",
  summary: "Read the team",
  description:
    "Reads the team that the token is pinned to, else the team in X-Team-ID, else the team that its user owns.",
  scope: "team:read",
  limit: "read:teams",
  responses: json(z.object({ success: yes, data: schema.teamSchema }), "The team."),
});
teamRoutes.openapi(get, async (c) => {
  const { team, self } = await teams.getTeam(c.var.ctx);
  return c.json({ success: true as const, data: schema.toTeam(team, self) }, 200);
});

const rename = apiRoute({
  method: "patch",
  path: "/teams",
  tags: extension,
  operationId: "renameTeam",
  summary: "Rename the team",
  description: "For its owner. The slug stays.",
  scope: "team:write",
  limit: "write",
  request: { body: jsonBody(schema.teamChangeSchema) },
  responses: json(z.object({ success: yes, data: schema.teamSchema }), "The team."),
});
teamRoutes.openapi(rename, async (c) => {
  const { team, self } = await teams.renameTeam(c.var.ctx, c.req.valid("json").name);
  return c.json({ success: true as const, data: schema.toTeam(team, self) }, 200);
});

const listMembers = apiRoute({
  method: "get",
  path: "/teams/members",
  tags,
  operationId: "listMembers",
  summary: "List the members of the team",
  description: "Deactivated members are among them.",
  scope: "team:read",
  limit: "read:teams",
  responses: json(
    z.object({ success: yes, data: z.array(schema.memberSchema) }),
    "Members, in the order in which they joined.",
  ),
});
teamRoutes.openapi(listMembers, async (c) => {
  const rows = await teams.listMembers(c.var.ctx);
  return c.json({ success: true as const, data: rows.map(schema.toMember) }, 200);
});

const targetParams = z.object({ targetUserId: z.string().describe("The userId of a member.") });

const change = apiRoute({
  method: "patch",
  path: "/teams/members/{targetUserId}",
  tags,
  operationId: "changeMember",
  summary: "Change a member",
  description:
    "For the owner: the role of a member, and whether they have access. Deactivating revokes their tokens that are pinned to the team, and ends the invites, review links, report links, connection pages and calendar feeds that they made; making an admin a member ends the invites, review links and connection pages. Activating brings none of them back, as `message` says. The owner's own membership cannot be changed.",
  scope: "team:write",
  limit: "write",
  request: { params: targetParams, body: jsonBody(schema.memberChangeSchema) },
  responses: {
    ...json(
      z.object({ success: yes, message: z.string(), data: schema.changedMemberSchema }),
      "The member as changed.",
    ),
    ...NOT_FOUND,
    ...conflict("PLAN_LIMIT: the plan allows no more active members; the owner is one of them."),
  },
});
teamRoutes.openapi(change, async (c) => {
  const userId = readNumericId(c.req.valid("param").targetUserId, "Member");
  const { kind, member } = await teams.changeMember(c.var.ctx, userId, c.req.valid("json"));
  const message = CHANGE_MESSAGES[kind];
  return c.json({ success: true as const, message, data: member }, 200);
});

const remove = apiRoute({
  method: "delete",
  path: "/teams/members/{targetUserId}",
  tags,
  operationId: "removeMember",
  summary: "Remove a member",
  description:
    "For owners and admins; only the owner removes an admin, and nobody can remove the owner. A member may remove themselves. Posts and everything else that they made stay; their tokens that are pinned to the team are revoked, and the invites, review links, report links, connection pages and calendar feeds that they made end.",
  scope: "team:write",
  limit: "destructive",
  request: { params: targetParams },
  responses: { ...confirmation, ...NOT_FOUND },
});
teamRoutes.openapi(remove, async (c) => {
  const userId = readNumericId(c.req.valid("param").targetUserId, "Member");
  await teams.removeMember(c.var.ctx, userId);
  return c.json({ success: true as const, message: "The member has been removed." }, 200);
});

const listInvites = apiRoute({
  method: "get",
  path: "/teams/invites",
  tags: extension,
  operationId: "listInvites",
  summary: "List open invites",
  description: "For owners and admins. The links are not shown again.",
  scope: "team:read",
  limit: "read:teams",
  responses: json(
    z.object({ success: yes, data: z.array(schema.openInviteSchema) }),
    "Newest first.",
  ),
});
teamRoutes.openapi(listInvites, async (c) => {
  const rows = await teams.listInvites(c.var.ctx);
  return c.json({ success: true as const, data: rows.map(schema.toOpenInvite) }, 200);
});

const invite = apiRoute({
  method: "post",
  path: "/teams/invites",
  tags,
  operationId: "createInvite",
  summary: "Invite somebody to the team",
  description:
    "For owners and admins. The link works once, for 7 days. An invite to the same address takes the place of an earlier one; a team has up to 100 open invites.",
  scope: "team:write",
  limit: "write",
  request: { body: jsonBody(schema.newInviteSchema) },
  responses: {
    ...json(z.object({ success: yes, data: schema.inviteSchema }), "The invite."),
    ...conflict(
      "PLAN_LIMIT: the plan allows no more active members, the owner being one of them, or there are 100 open invites.",
    ),
  },
});
teamRoutes.openapi(invite, async (c) => {
  const origin = publicOrigin(c.var.deps, c.req.url);
  const { row, ...secret } = await teams.createInvite(c.var.ctx, c.req.valid("json"), origin);
  return c.json({ success: true as const, data: schema.toInvite(row, secret) }, 200);
});

const revoke = apiRoute({
  method: "delete",
  path: "/teams/invites/{id}",
  tags: extension,
  operationId: "revokeInvite",
  summary: "Revoke an invite",
  description: "For owners and admins.",
  scope: "team:write",
  limit: "destructive",
  request: { params: idParams },
  responses: { ...confirmation, ...NOT_FOUND },
});
teamRoutes.openapi(revoke, async (c) => {
  await teams.revokeInvite(c.var.ctx, readNumericId(c.req.valid("param").id, "Invite"));
  return c.json({ success: true as const, message: "The invite has been revoked." }, 200);
});
