import * as z from "zod";
import { reviewPath } from "../../core/link-token.ts";
import { publicOrigin } from "../../http/env.ts";
import { only } from "../../http/methods.ts";
import { optionalBody, withoutBody } from "../../http/optional-body.ts";
import { apiRoute, conflict, createRouter, json, NOT_FOUND } from "../../http/route.ts";
import { newReviewLinkSchema, reviewLinkSchema } from "./schema.ts";
import { createReviewLink } from "./service.ts";

export const reviewRoutes = createRouter();

reviewRoutes.use("/upload/review-links", withoutBody);
reviewRoutes.use("/upload/review-links", only("POST"));

const create = apiRoute({
  method: "post",
  path: "/upload/review-links",
  tags: ["Uploads"],
  operationId: "createReviewLink",
  summary: "Make a link by which a client reviews posts",
  description:
    "A page under your branding, open for 14 days, where a client without an account sees each post as it will look, and approves it or asks for changes. Drafts are submitted. Only owners and admins make such links. A dashboard page lists and withdraws them.",
  scope: "posts:publish",
  limit: "write",
  request: { body: optionalBody(newReviewLinkSchema) },
  responses: {
    ...json(z.object({ success: z.literal(true), data: reviewLinkSchema }), "The link."),
    ...NOT_FOUND,
    ...conflict(
      "NOT_REVIEWABLE: a post is neither a draft nor awaits approval, or none awaits it. PLAN_LIMIT: the team has 500 open links.",
    ),
  },
});
reviewRoutes.openapi(create, async (c) => {
  const { ctx } = c.var;
  const { id, expiresAt, uploadIds } = await createReviewLink(
    ctx,
    c.req.valid("json").uploadIds ?? null,
  );
  const url = publicOrigin(ctx, c.req.url) + (await reviewPath(ctx.config.signingKey, id));
  const data = { url, expiresAt: expiresAt.toISOString(), uploadIds };
  return c.json({ success: true as const, data }, 200);
});
