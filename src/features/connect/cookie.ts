import type { Context } from "hono";
import { setCookie } from "hono/cookie";
import { randomHex } from "../../core/ids.ts";
import { DAY, SECOND } from "../../core/time.ts";
import { type AppContext, publicOrigin } from "../../http/env.ts";
import { COOKIE_PREFIX, cookieValue } from "../auth/cookie.ts";
import type { PageEnv } from "../auth/signed-in.ts";

const COOKIE = `${COOKIE_PREFIX}.consent`;

const VALUE = /^[0-9a-f]{32}$/;

export function boundBrowser(c: Pick<Context, "req">): string | null {
  const value = cookieValue(c.req.header("cookie") ?? null, COOKIE);
  return value !== null && VALUE.test(value) ? value : null;
}

/** Keeps the value of an existing cookie: a browser may connect several platforms at once. */
export function bindBrowser(c: AppContext | Context<PageEnv>): string {
  const value = boundBrowser(c) ?? randomHex(16);
  setCookie(c, COOKIE, value, {
    path: "/",
    httpOnly: true,
    // The platform's redirect comes from another site.
    sameSite: "Lax",
    secure: publicOrigin(c.var.deps, c.req.url).startsWith("https:"),
    maxAge: DAY / SECOND,
  });
  return value;
}
