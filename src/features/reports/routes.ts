import * as z from "zod";
import { publicOrigin } from "../../http/env.ts";
import { idParams, readNumericId } from "../../http/ids.ts";
import {
  apiRoute,
  conflict,
  createRouter,
  json,
  jsonBody,
  NOT_FOUND,
  success,
} from "../../http/route.ts";
import {
  madeReportSchema,
  newReportSchema,
  reportListSchema,
  toNewReport,
  toReport,
} from "./schema.ts";
import { createReport, listReports, revokeReport } from "./service.ts";

export const reportRoutes = createRouter();

const tags = ["Analytics", "Extensions"];

const list = apiRoute({
  method: "get",
  path: "/reports",
  tags,
  operationId: "listReports",
  summary: "List the open report links",
  scope: "analytics:read",
  limit: "analytics",
  responses: json(reportListSchema, "Newest first."),
});
reportRoutes.openapi(list, async (c) => {
  const reports = await listReports(c.var.ctx);
  return c.json({ success: true as const, data: reports.map(toReport) }, 200);
});

const create = apiRoute({
  method: "post",
  path: "/reports",
  tags,
  operationId: "createReport",
  summary: "Make a report link",
  description:
    "A secret address of a page with the figures, under the workspace's name and logo. Everybody who has the address can read it, until it expires, is revoked, its token is, or the person who made it leaves the team. The team's plan has to have analytics.",
  scope: "analytics:read",
  limit: "write",
  request: { body: jsonBody(newReportSchema) },
  responses: {
    ...success({ data: madeReportSchema }, "The report link. Its address is told this once."),
    ...NOT_FOUND,
    ...conflict("PLAN_LIMIT: the team has 50 report links."),
  },
});
reportRoutes.openapi(create, async (c) => {
  const { ctx } = c.var;
  const { report, path } = await createReport(ctx, toNewReport(c.req.valid("json")), null);
  const data = { ...toReport(report), url: publicOrigin(ctx, c.req.url) + path };
  return c.json({ success: true as const, data }, 200);
});

const revoke = apiRoute({
  method: "delete",
  path: "/reports/{id}",
  tags,
  operationId: "revokeReport",
  summary: "Revoke a report link",
  description: "Owners and admins revoke every one, members their own.",
  scope: "analytics:read",
  limit: "destructive",
  request: { params: idParams },
  responses: { ...success({ message: z.string() }, "Revoked."), ...NOT_FOUND },
});
reportRoutes.openapi(revoke, async (c) => {
  await revokeReport(c.var.ctx, readNumericId(c.req.valid("param").id, "Report"));
  const message = "The report link has been revoked. Its address answers 404 from now on.";
  return c.json({ success: true as const, message }, 200);
});
