import * as z from "zod";
import { idParams, readNumericId } from "../../http/ids.ts";
import {
  apiRoute,
  conflict,
  createRouter,
  jsonBody,
  NOT_FOUND,
  success,
} from "../../http/route.ts";
import {
  forgettingSchema,
  newRehearsalSchema,
  rehearsalSchema,
  stepAnswer,
  stepSchema,
  toRehearsal,
  toStep,
} from "./schema.ts";
import * as rehearsals from "./service.ts";

export const rehearsalRoutes = createRouter();

const tags = ["Rehearsals", "Extensions"];

const INACTIVE = conflict("ACCOUNT_INACTIVE: reconnect the account first.");
const NOT_STARTED = conflict(
  "ACCOUNT_INACTIVE: reconnect the account first. DAILY_LIMIT: an account has 10 rehearsals in 24 hours; the message says until when.",
);
const NOT_FORGOTTEN = conflict(
  "NOT_CANCELLABLE: a step is being taken, or the post may be out and `unpublished` is set.",
);

const list = apiRoute({
  method: "get",
  path: "/rehearsals",
  tags,
  operationId: "listRehearsals",
  summary: "List what rehearsals may have left",
  description:
    "For the owner: rehearsals that are not over, and those whose post is or may be at the platform.",
  scope: "*",
  limit: "read:rehearsals",
  responses: success({ data: z.array(rehearsalSchema) }, "Newest first."),
});
rehearsalRoutes.openapi(list, async (c) => {
  const rows = await rehearsals.listRehearsals(c.var.ctx);
  return c.json({ success: true as const, data: rows.map(toRehearsal) }, 200);
});

const start = apiRoute({
  method: "post",
  path: "/rehearsals",
  tags,
  operationId: "startRehearsal",
  summary: "Begin a rehearsal",
  description:
    "For the owner. It publishes nothing yet: its steps publish one post that as few people as possible see, read it back and delete it. An account has one open rehearsal, which is answered again until it is over. Where the platform charges for posts, a live account needs the owner of the instance.",
  scope: "*",
  limit: "write",
  request: { body: jsonBody(newRehearsalSchema) },
  responses: {
    ...success({ data: rehearsalSchema }, "The rehearsal."),
    ...NOT_FOUND,
    ...NOT_STARTED,
  },
});
rehearsalRoutes.openapi(start, async (c) => {
  const row = await rehearsals.startRehearsal(c.var.ctx, c.req.valid("json"));
  return c.json({ success: true as const, data: toRehearsal(row) }, 200);
});

const step = apiRoute({
  method: "post",
  path: "/rehearsals/{id}/step",
  tags,
  operationId: "stepRehearsal",
  summary: "Take one step of a rehearsal",
  description:
    "For the owner. Repeat it until `next` is `over`. The row is stored before the call that publishes, so a later step tells what became of it.",
  scope: "*",
  limit: "connect",
  request: { params: idParams, body: jsonBody(stepSchema) },
  responses: {
    ...success(stepAnswer, "What happened in the step."),
    ...NOT_FOUND,
    ...INACTIVE,
  },
});
rehearsalRoutes.openapi(step, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Rehearsal");
  const { acceptPublic } = c.req.valid("json");
  const { origin } = new URL(c.req.url);
  const taken = await rehearsals.takeStep(c.var.ctx, id, acceptPublic, origin);
  return c.json({ success: true as const, ...toStep(taken) }, 200);
});

const forget = apiRoute({
  method: "delete",
  path: "/rehearsals/{id}",
  tags,
  operationId: "forgetRehearsal",
  summary: "Forget a rehearsal",
  description:
    "For the owner, who has looked at the platform and deleted the post there. It deletes nothing at the platform. The post's id stays stored, so that the post appears in no figures.",
  scope: "*",
  limit: "destructive",
  request: { params: idParams, query: forgettingSchema },
  responses: {
    ...success({ message: z.string() }, "Forgotten."),
    ...NOT_FOUND,
    ...NOT_FORGOTTEN,
  },
});
rehearsalRoutes.openapi(forget, async (c) => {
  const id = readNumericId(c.req.valid("param").id, "Rehearsal");
  const { unpublished } = c.req.valid("query");
  await rehearsals.forgetRehearsal(c.var.ctx, id, unpublished === "true");
  return c.json({ success: true as const, message: "The rehearsal is forgotten." }, 200);
});
