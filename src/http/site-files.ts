import { Hono } from "hono";
import { notFound } from "../core/errors.ts";
import type { AppEnv } from "./env.ts";

export const siteFileRoutes = new Hono<AppEnv>();

siteFileRoutes.get("/:file{\\w+\\.txt}", (c) => {
  const { siteFiles } = c.var.deps.config;
  const file = siteFiles.find(({ name }) => name === c.req.param("file"));
  if (!file) throw notFound("File");
  return c.text(file.text);
});
