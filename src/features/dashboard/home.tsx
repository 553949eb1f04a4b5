import { Hono } from "hono";
import { renderAppPage } from "../../pages/app-layout.tsx";
import { type PageEnv, signedIn, viewerOf } from "../auth/signed-in.ts";

export const homePage = new Hono<PageEnv>();

homePage.get("/app", signedIn("read:pages"), async (c) => {
  await c.var.ctx.read("*", []);
  return renderAppPage(c, viewerOf(c), { title: "Home", here: "/app" }, <h1>Home</h1>);
});
