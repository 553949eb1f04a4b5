import { createMiddleware } from "hono/factory";
import { AppError } from "../core/errors.ts";
import { renderPlainPage } from "../pages/app-layout.tsx";
import { bodyOf } from "./body.ts";
import { type AppContext, type AppEnv, publicOrigin } from "./env.ts";
import { toRefusal } from "./errors.ts";
import { isSameOrigin } from "./same-origin.ts";

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
 * Forms of other sites could act for the signed-in person.
 *
 * @throws AppError FORBIDDEN
 */
export const refuseCrossSite = refuseUnless(isSameOrigin);

/**
 * For pages with a secret address. Browsers without Sec-Fetch-Site send `Origin: null` with their
 * forms, so the form must contain a proof from its page.
 */
export const refuseForeignForm = refuseUnless((c) => isSameOrigin(c) || isOfUntoldOrigin(c));

const isOfUntoldOrigin = ({ req }: AppContext): boolean =>
  req.header("sec-fetch-site") === undefined && req.header("origin") === "null";

/**
 * Protects calls without a login. Programs send neither Origin nor Sec-Fetch-Site and are allowed.
 *
 * @throws AppError FORBIDDEN
 */
export const refuseOtherSites = refuseUnless(
  (c) =>
    isSameOrigin(c) ||
    (c.req.header("sec-fetch-site") === undefined && c.req.header("origin") === undefined),
);

export async function renderErrorPage(error: unknown, c: AppContext): Promise<Response> {
  const { status, message, headers } = toRefusal(error, c);
  if (status === 401) return renderSignedOut(c);
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

/** Keeps what was written in a form whose sender is signed out. */
async function renderSignedOut(c: AppContext): Promise<Response> {
  const path = signInPath(c);
  const fields = await writtenFields(c);
  const texts = fields.filter((field): field is [string, string] => typeof field[1] === "string");
  if (!texts.some(([, text]) => /\s/.test(text.trim()))) return c.redirect(path, 303);
  const hasFiles = texts.length < fields.length;
  const { pathname, search } = new URL(c.req.url);
  return renderPlainPage(
    c,
    { title: "You are signed out", status: 401 },
    <>
      <h1>You are signed out</h1>
      <p>
        Nothing was sent, and what you wrote is here.{" "}
        <a href={hasFiles ? path : "/sign-in"} target="_blank" rel="noopener">
          Sign in
        </a>
        , which opens a page of its own, then {hasFiles ? "copy it from here" : "come back here"}.
        {hasFiles && " Choose your files again there."}
      </p>
      <form id="unsent" method="post" action={pathname + search}>
        {texts.map(([name, text]) =>
          /\s/.test(text) ? (
            <textarea name={name} rows={5} aria-label={name} dir="auto" readonly>
              {text}
            </textarea>
          ) : (
            <input type="hidden" name={name} value={text} />
          ),
        )}
        {!hasFiles && <button type="submit">Send it again</button>}
      </form>
    </>,
  );
}

/** Empty for a form that is too large to be kept. Files without content are left out. */
async function writtenFields(c: AppContext): Promise<[string, string | File][]> {
  if (c.req.method !== "POST" || c.req.raw.bodyUsed) return [];
  const form = await readForm(c).catch(() => new FormData());
  return [...form].filter(([, value]) => typeof value === "string" || value.size > 0);
}

const titleOf = (status: number): string => {
  if (status === 404) return "Nothing is here";
  if (status === 403) return "That is not allowed";
  if (status === 429) return "Too many tries";
  return status < 500 ? "That did not work" : "Something broke";
};

/** Opens the page, or the form's page, again after the sign-in, but never sends a form again. */
const signInPath = (c: AppContext): string => {
  const { url, method } = c.req;
  const isForm = method !== "GET";
  const page = URL.parse(isForm ? (c.req.header("referer") ?? "") : url);
  const isOurs = !isForm || page?.origin === publicOrigin(c.var.deps, url);
  const next = page && isOurs ? page.pathname + page.search : null;
  return next === null ? "/sign-in" : `/sign-in?next=${encodeURIComponent(next)}`;
};

/** Null for another site's address. */
export const ownPath = (text: string | undefined): string | null =>
  text !== undefined && /^\/(?![/\\])[\x21-\x7e]{0,500}$/.test(text) && !text.includes("\\")
    ? text
    : null;

/** Only these paths may follow a sign-in: others could make a sign-in link a trap. */
const AFTER_SIGN_IN = /^\/(?:app|authorize|device|invite)(?:[/?#]|$)/;

/** Checks the path in the form that a browser normalizes it to. */
export function pathAfterSignIn(text: string | undefined): string | null {
  const own = ownPath(text);
  if (own === null) return null;
  const { pathname, search, hash } = new URL(own, "https://here.invalid");
  return AFTER_SIGN_IN.test(pathname) ? pathname + search + hash : null;
}

/** Larger than any form with a logo. */
const MAX_FORM_BYTES = 400_000;

/** @throws AppError 413 with the message `refusal` for a form that is too large, 400 for a malformed one */
export async function readForm(
  { req }: Pick<AppContext, "req">,
  refusal = "The form is larger than 400 KB. Send less of it at once.",
  maxBytes = MAX_FORM_BYTES,
): Promise<FormData> {
  const { raw } = req;
  const body = await bodyOf(raw).readAll(maxBytes, async () => {}, refusal);
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

/** Trimmed; empty when absent. */
export const textField = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === "string" ? value.replaceAll("\r\n", "\n").trim() : "";
};
