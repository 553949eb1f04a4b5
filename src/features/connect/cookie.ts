import type { Context } from "hono";
import { setCookie } from "hono/cookie";
import { randomHex } from "../../core/ids.ts";
import { DAY, SECOND } from "../../core/time.ts";
import { type AppContext, publicOrigin } from "../../http/env.ts";
import { COOKIE_PREFIX, cookieValue } from "../auth/cookie.ts";
import type { PageEnv } from "../auth/signed-in.ts";

/** Binds a try to the browser that began it. */
const COOKIE = `${COOKIE_PREFIX}.consent`;

const VALUE = /^[0-9a-f]{32}$/;

/** The value that binds a browser; null where it has none. */
export function boundBrowser(c: Pick<Context, "req">): string | null {
  const value = cookieValue(c.req.header("cookie") ?? null, COOKIE);
  return value !== null && VALUE.test(value) ? value : null;
}

/** Binds a browser, or keeps what binds it already: it may try several platforms at once. */
export function bindBrowser(c: AppContext | Context<PageEnv>): string {
  const value = boundBrowser(c) ?? randomHex(16);
  setCookie(c, COOKIE, value, {
    // Set by the pages that begin a try, read by the ones that it comes back to.
    path: "/",
    httpOnly: true,
    // The platform leads back here: a navigation from another site.
    sameSite: "Lax",
    secure: publicOrigin(c.var.deps, c.req.url).startsWith("https:"),
    maxAge: DAY / SECOND,
  });
  return value;
}
