import { Hono } from "hono";
import { notFound } from "../core/errors.ts";
import type { AppEnv } from "./env.ts";

/** Files at the root of the site by which others know whose it is. */
export const siteFileRoutes = new Hono<AppEnv>();

/**
 * The signature file of TikTok's URL properties.
 *
 * @see https://developers.tiktok.com/doc/set-up-development-configuration
 */
siteFileRoutes.get("/:file{tiktok\\w+\\.txt}", (c) => {
  const { tiktokSignatures } = c.var.deps.config;
  const signature = tiktokSignatures.find((one) => `tiktok${one}.txt` === c.req.param("file"));
  if (signature === undefined) throw notFound("File");
  return c.text(`tiktok-developers-site-verification=${signature}`);
});
