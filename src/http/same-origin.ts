import { type AppContext, publicOrigin } from "./env.ts";

export function isSameOrigin(c: AppContext): boolean {
  const site = c.req.header("sec-fetch-site");
  if (site !== undefined) return site === "same-origin";
  const origin = c.req.header("origin");
  return origin === publicOrigin(c.var.deps, c.req.url) || origin === new URL(c.req.url).origin;
}
