import * as z from "zod";
import { idParams, readNumericId } from "../../http/ids.ts";
import {
  apiRoute,
  conflict,
  createRouter,
  errorSchema,
  jsonBody,
  NOT_FOUND,
  success,
} from "../../http/route.ts";
import { DRAFT_DAYS, MAX_TEAM_DRAFTS } from "./rules.ts";
import {
  draftChangeSchema,
  draftSchema,
  listedDraftSchema,
  newDraftSchema,
  toDraft,
  toListedDraft,
} from "./schema.ts";
import * as drafts from "./service.ts";

export const draftRoutes = createRouter();

const tags = ["Uploads", "Extensions"];
const request = { params: idParams };

const list = apiRoute({
  method: "get",
  path: "/drafts",
  tags,
  operationId: "listDrafts",
  summary: "List the composer's drafts",
  description: `Newest first. A draft of the composer is no post yet: no account, file or date is checked before it is sent. One that is not saved for ${DRAFT_DAYS} days is removed.`,
  scope: "posts:read",
  limit: "read:drafts",
  responses: success(
    { data: z.array(listedDraftSchema).max(MAX_TEAM_DRAFTS) },
    "The team's drafts, without their content.",
  ),
});
draftRoutes.openapi(list, async (c) => {
  const data = (await drafts.listDrafts(c.var.ctx)).map(toListedDraft);
  return c.json({ success: true as const, data }, 200);
});

const create = apiRoute({
  method: "post",
  path: "/drafts",
  tags,
  operationId: "createDraft",
  summary: "Keep what is written in the composer",
  scope: "posts:write",
  limit: "compose",
  request: { body: jsonBody(newDraftSchema) },
  responses: {
    ...success({ data: draftSchema }, "The draft."),
    ...conflict(`QUEUE_FULL: the team has ${MAX_TEAM_DRAFTS} drafts; remove some.`),
  },
});
draftRoutes.openapi(create, async (c) => {
  const { content } = c.req.valid("json");
  const data = toDraft(await drafts.createDraft(c.var.ctx, content));
  return c.json({ success: true as const, data }, 200);
});

const get = apiRoute({
  method: "get",
  path: "/drafts/{id}",
  tags,
  operationId: "getDraft",
  summary: "Read a draft",
  scope: "posts:read",
  limit: "read:drafts",
  request,
  responses: { ...success({ data: draftSchema }, "The draft."), ...NOT_FOUND },
});
draftRoutes.openapi(get, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Draft");
  const data = toDraft(await drafts.getDraft(c.var.ctx, id));
  return c.json({ success: true as const, data }, 200);
});

const changedSchema = errorSchema
  .extend({
    updatedBy: draftSchema.shape.updatedBy,
    updatedAt: z.iso.datetime(),
    version: z.number().int().describe("The version that the draft has now."),
  })
  .meta({ id: "DraftChanged" });

const save = apiRoute({
  method: "put",
  path: "/drafts/{id}",
  tags,
  operationId: "saveDraft",
  summary: "Save a draft again",
  description:
    "`version` is the one that was read: when another person has saved the draft since, this save is refused and changes nothing.",
  scope: "posts:write",
  limit: "compose",
  request: { ...request, body: jsonBody(draftChangeSchema) },
  responses: {
    ...success({ data: draftSchema }, "The draft, with its new version."),
    ...NOT_FOUND,
    409: {
      description: "DRAFT_CHANGED: who saved it in between, and when.",
      content: { "application/json": { schema: changedSchema } },
    },
  },
});
draftRoutes.openapi(save, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Draft");
  const { content, version } = c.req.valid("json");
  const data = toDraft(await drafts.saveDraft(c.var.ctx, { id, version }, content));
  return c.json({ success: true as const, data }, 200);
});

const remove = apiRoute({
  method: "delete",
  path: "/drafts/{id}",
  tags,
  operationId: "deleteDraft",
  summary: "Remove a draft",
  scope: "posts:write",
  limit: "destructive",
  request,
  responses: { ...success({ message: z.string() }, "The draft is gone."), ...NOT_FOUND },
});
draftRoutes.openapi(remove, async (c) => {
  await drafts.removeDraft(c.var.ctx, readNumericId(c.req.valid("param").id, "Draft"));
  return c.json({ success: true as const, message: "Draft removed." }, 200);
});
