import * as z from "zod";
import { bodyOf } from "../../http/body.ts";
import { type AppContext, publicOrigin } from "../../http/env.ts";
import { apiRoute, createRouter, fileRoute, json, jsonBody } from "../../http/route.ts";
import { LOGO_TYPES, MAX_LOGO_BYTES } from "./logo-rules.ts";
import { logoPath } from "./rules.ts";
import { logoSchema, settingsChangeSchema, settingsSchema } from "./schema.ts";
import * as settings from "./service.ts";

export const settingsRoutes = createRouter();

const yes = z.literal(true);
const tags = ["Settings", "Extensions"];

function toAnswer(c: AppContext, { branding, slug: _, push, ...rest }: settings.Settings) {
  const { name, link, color, logo } = branding;
  const logoUrl = logo && publicOrigin(c.var.deps, c.req.url) + logoPath(logo);
  const browsers = push.browsers.map(({ id, label, error, createdAt }) => ({
    id,
    name: label,
    error,
    createdAt: createdAt.toISOString(),
  }));
  const shown = { branding: { name, link, color, logoUrl }, push: { ...push, browsers } };
  return { success: true as const, data: { ...rest, ...shown } };
}

const read = apiRoute({
  method: "get",
  path: "/settings",
  tags,
  operationId: "getSettings",
  summary: "Read the settings of the team, and your own",
  scope: "team:read",
  limit: "read:settings",
  responses: json(z.object({ success: yes, data: settingsSchema }), "The settings."),
});
settingsRoutes.openapi(read, async (c) =>
  c.json(toAnswer(c, await settings.readSettings(c.var.ctx)), 200),
);

const change = apiRoute({
  method: "patch",
  path: "/settings",
  tags,
  operationId: "changeSettings",
  summary: "Change settings",
  description:
    "Fields that are left out stay as they are, and null clears one. The team's settings are changed by its owner and admins; `notifications` and `messaging.own` are the caller's own.",
  scope: "team:write",
  limit: "write",
  request: { body: jsonBody(settingsChangeSchema) },
  responses: json(
    z.object({ success: yes, data: settingsSchema }),
    "The settings as they are now.",
  ),
});
settingsRoutes.openapi(change, async (c) =>
  c.json(toAnswer(c, await settings.changeSettings(c.var.ctx, c.req.valid("json"))), 200),
);

const putLogo = fileRoute({
  method: "put",
  path: "/settings/logo",
  tags,
  operationId: "storeLogo",
  summary: "Store the team's logo",
  description:
    "The body is the file: PNG, JPEG, WebP or SVG, at most 150 KB. The content decides the type, not the header.",
  scope: "team:write",
  limit: "write",
  types: LOGO_TYPES,
  responses: json(z.object({ success: yes, data: logoSchema }), "The address of the logo."),
});
settingsRoutes.openapi(putLogo, async (c) => {
  const { ctx, deps } = c.var;
  const body = bodyOf(c.req.raw);
  const bytes = await body.readAll(MAX_LOGO_BYTES, () => ctx.read("team:write", []));
  const logo = await settings.storeLogo(ctx, bytes);
  const logoUrl = publicOrigin(deps, c.req.url) + logoPath(logo);
  return c.json({ success: true as const, data: { logoUrl } }, 200);
});

const deleteLogo = apiRoute({
  method: "delete",
  path: "/settings/logo",
  tags,
  operationId: "removeLogo",
  summary: "Remove the team's logo",
  scope: "team:write",
  limit: "destructive",
  responses: json(z.object({ success: yes, message: z.string() }), "Removed."),
});
settingsRoutes.openapi(deleteLogo, async (c) => {
  await settings.removeLogo(c.var.ctx);
  return c.json({ success: true as const, message: "The team has no logo any more." }, 200);
});
