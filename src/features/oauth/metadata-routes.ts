import { type Context, Hono } from "hono";
import { type AppEnv, publicOrigin } from "../../http/env.ts";

export const wellKnownRoutes = new Hono<AppEnv>();

const SERVER = "/.well-known/oauth-authorization-server";
const RESOURCE = "/.well-known/oauth-protected-resource";

/** The site's other paths do not need it. */
const load = () => import("./metadata.ts");

wellKnownRoutes.use("/.well-known/*", async (c, next) => {
  const { cors } = await import("hono/cors");
  return cors({ origin: "*", allowMethods: ["GET"] })(c, next);
});

const answer = (c: Context<AppEnv>, document: object): Response => {
  c.header("Cache-Control", "public, max-age=300");
  return c.json(document);
};

const originOf = (c: Context<AppEnv>): string => publicOrigin(c.var.deps, c.req.url);

wellKnownRoutes.get(SERVER, async (c) => {
  const { serverMetadata } = await load();
  return answer(c, serverMetadata(originOf(c)));
});

/** Some clients read the address without a path only. */
for (const path of [RESOURCE, `${RESOURCE}/mcp`]) {
  wellKnownRoutes.get(path, (c) => answerResource(c, "mcp"));
}

wellKnownRoutes.get(`${RESOURCE}/api/v1`, (c) => answerResource(c, "api"));

async function answerResource(c: Context<AppEnv>, resource: "mcp" | "api"): Promise<Response> {
  const { resourceMetadata } = await load();
  return answer(c, resourceMetadata(resource, originOf(c)));
}
