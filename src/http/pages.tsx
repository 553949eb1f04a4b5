import { createMiddleware } from "hono/factory";
import { AppError } from "../core/errors.ts";
import { renderPlainPage } from "../pages/app-layout.tsx";
import { bodyOf } from "./body.ts";
import { type AppContext, type AppEnv, publicOrigin } from "./env.ts";
import { toRefusal } from "./errors.ts";

const refuseUnless = (isOurs: (c: AppContext) => boolean) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const { method } = c.req;
    if (method !== "GET" && method !== "HEAD" && !isOurs(c)) {
      throw new AppError(
        "FORBIDDEN",
        "This was sent from a page of another site. Open the page here and send it again.",
      );
    }
    await next();
  });

/**
 * Refuses what another site sends in the name of a person who is signed in: a form or script of ours says
 * that it comes from here.
 *
 * @throws AppError FORBIDDEN
 */
export const refuseCrossSite = refuseUnless(isSameOrigin);

/**
 * As `refuseCrossSite`, for pages whose address is sent to nobody: of their forms, browsers without Sec-Fetch-Site
 * say no origin, so that such a form has to carry a proof that only its page holds.
 */
export const refuseForeignForm = refuseUnless((c) => isSameOrigin(c) || isOfUntoldOrigin(c));

const isOfUntoldOrigin = ({ req }: AppContext): boolean =>
  req.header("sec-fetch-site") === undefined && req.header("origin") === "null";

/**
 * Refuses what a page of another site sends to calls that ask for no login. Programs name neither a site nor an
 * origin, and are let in.
 *
 * @throws AppError FORBIDDEN
 */
export const refuseOtherSites = refuseUnless(
  (c) =>
    isSameOrigin(c) ||
    (c.req.header("sec-fetch-site") === undefined && c.req.header("origin") === undefined),
);

function isSameOrigin(c: AppContext): boolean {
  const site = c.req.header("sec-fetch-site");
  if (site !== undefined) return site === "same-origin";
  const origin = c.req.header("origin");
  return origin === publicOrigin(c.var.deps, c.req.url) || origin === new URL(c.req.url).origin;
}

/** A refusal as a page that a person understands; where nobody is signed in, the way to the sign-in. */
export function renderErrorPage(error: unknown, c: AppContext): Response | Promise<Response> {
  const { status, message, headers } = toRefusal(error, c);
  if (status === 401) return c.redirect(signInPath(c), 303);
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  return renderPlainPage(
    c,
    { title: titleOf(status), status },
    <>
      <h1>{titleOf(status)}</h1>
      <p>{message}</p>
      <p>
        <a href="/app">Back to the start</a>
      </p>
    </>,
  );
}

const titleOf = (status: number): string => {
  if (status === 404) return "Nothing is here";
  if (status === 403) return "That is not allowed";
  if (status === 429) return "Too many tries";
  return status < 500 ? "That did not work" : "Something broke";
};

/** The sign-in, which leads back to this page; a form is not sent a second time. */
const signInPath = (c: AppContext): string => {
  const { pathname, search } = new URL(c.req.url);
  return c.req.method === "GET"
    ? `/sign-in?next=${encodeURIComponent(pathname + search)}`
    : "/sign-in";
};

/** Returns a path of this service that was given as an address to go on to; null for any other. */
export const ownPath = (text: string | undefined): string | null =>
  text !== undefined && /^\/(?![/\\])[\x21-\x7e]{0,500}$/.test(text) && !text.includes("\\")
    ? text
    : null;

/** The pages that a sign-in leads on to: of others, an address could be a trap. */
const AFTER_SIGN_IN = /^\/(?:app|invite)(?:[/?#]|$)/;

/** Returns the path of a page that a sign-in may lead on to, as browsers read it; null for any other. */
export function pathAfterSignIn(text: string | undefined): string | null {
  const own = ownPath(text);
  if (own === null) return null;
  const { pathname, search, hash } = new URL(own, "https://here.invalid");
  return AFTER_SIGN_IN.test(pathname) ? pathname + search + hash : null;
}

/** More than any form of a page sends, a logo included. */
const MAX_FORM_BYTES = 400_000;

/**
 * The fields of a page's form.
 *
 * @param refusal the message for a form that is too large
 * @throws AppError 413 for a form that is too large, 400 for what is no form
 */
export async function readForm(
  { req }: Pick<AppContext, "req">,
  refusal = "The form is larger than 400 KB. Send less of it at once.",
): Promise<FormData> {
  const { raw } = req;
  const body = await bodyOf(raw).readAll(MAX_FORM_BYTES, async () => {}, refusal);
  const headers = { "content-type": req.header("content-type") ?? "" };
  try {
    return await new Response(body, { headers }).formData();
  } catch {
    throw new AppError(
      null,
      "The form could not be read. Open the page again and send it once more.",
    );
  }
}

/** Returns a text field of a form, trimmed; empty where it was not sent. */
export const textField = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
};
