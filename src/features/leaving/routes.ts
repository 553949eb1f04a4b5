import * as z from "zod";
import { idParams, readNumericId } from "../../http/ids.ts";
import { only } from "../../http/methods.ts";
import {
  apiRoute,
  conflict,
  createRouter,
  jsonBody,
  jsonLines,
  NOT_FOUND,
  success,
} from "../../http/route.ts";
import { exportTeam } from "./export.ts";
import { deletionSchema, exportLineSchema, exportPageSchema } from "./schema.ts";
import { deleteTeam } from "./service.ts";

export const leavingRoutes = createRouter();
leavingRoutes.use("/teams/members", only("GET"));
leavingRoutes.use("/teams/invites", only("GET", "POST"));

const tags = ["Leaving", "Extensions"];

const take = apiRoute({
  method: "get",
  path: "/export",
  tags,
  operationId: "exportTeam",
  summary: "Export all data of the team",
  description:
    "For the owner: the team, its people, accounts without secrets, uploads, files and events, one JSON value a line. Ask again with the cursor of the last line until it is `end`.",
  scope: "*",
  limit: "read:export",
  request: { query: exportPageSchema },
  responses: jsonLines(exportLineSchema, "A page of lines."),
});
leavingRoutes.openapi(take, async (c) => {
  const lines = await exportTeam(c.var.ctx, c.req.valid("query"));
  // The router's types do not cover JSON lines.
  return c.body(lines, 200, { "Content-Type": "application/x-ndjson" }) as never;
});

const remove = apiRoute({
  method: "delete",
  path: "/teams/{id}",
  tags,
  operationId: "deleteTeam",
  summary: "Delete your team and all its data",
  description:
    "For the owner, with a token that is not pinned to a team. Their account is closed with it, and nothing comes back. Planned posts are not published. Logins are revoked at the platforms that can do so. Rows and files are removed in the background, within hours.",
  scope: "*",
  limit: "destructive",
  request: { params: idParams, body: jsonBody(deletionSchema) },
  responses: {
    ...success({ message: z.string() }, "Deleted."),
    ...NOT_FOUND,
    ...conflict("UPLOAD_LOCKED: a post of the team is being published."),
  },
});
leavingRoutes.openapi(remove, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Team");
  await deleteTeam(c.var.ctx, id, c.req.valid("json").confirm);
  return c.json({ success: true as const, message: "The team has been deleted." }, 200);
});
