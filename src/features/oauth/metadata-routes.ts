import { type Context, Hono } from "hono";
import { cors } from "hono/cors";
import { type AppEnv, publicOrigin } from "../../http/env.ts";
import { resourceMetadata, serverMetadata } from "./metadata.ts";

export const wellKnownRoutes = new Hono<AppEnv>();

const SERVER = "/.well-known/oauth-authorization-server";
const RESOURCE = "/.well-known/oauth-protected-resource";

wellKnownRoutes.use("/.well-known/*", cors({ origin: "*", allowMethods: ["GET"] }));

const answer = (c: Context<AppEnv>, document: object): Response => {
  c.header("Cache-Control", "public, max-age=300");
  return c.json(document);
};

const originOf = (c: Context<AppEnv>): string => publicOrigin(c.var.deps, c.req.url);

wellKnownRoutes.get(SERVER, (c) => answer(c, serverMetadata(originOf(c))));

/** Some clients read the address without a path only. */
for (const path of [RESOURCE, `${RESOURCE}/mcp`]) {
  wellKnownRoutes.get(path, (c) => answer(c, resourceMetadata("mcp", originOf(c))));
}

wellKnownRoutes.get(`${RESOURCE}/api/v1`, (c) => answer(c, resourceMetadata("api", originOf(c))));
