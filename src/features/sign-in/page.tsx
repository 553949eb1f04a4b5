import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { toEmail } from "../../core/email.ts";
import { AppError } from "../../core/errors.ts";
import type { LimitGroup } from "../../core/quotas.ts";
import { isLinkToken } from "../../core/sign-in-link.ts";
import { bodyOf } from "../../http/body.ts";
import { countVisitor } from "../../http/caller.ts";
import { type AppContext, type AppEnv, publicOrigin } from "../../http/env.ts";
import { renderError } from "../../http/errors.ts";
import { pathAfterSignIn, readForm, textField } from "../../http/pages.tsx";
import { renderPlainPage } from "../../pages/app-layout.tsx";
import { forgetSessionCookie } from "../auth/cookie.ts";
import { isOwned } from "../auth/repo/people.ts";
import { canSendMail, hasMailer } from "../mail/service.ts";
import { requireName } from "./own.ts";
import { PASSKEY_SCRIPT, PASSKEY_SCRIPT_PATH } from "./passkey-script.ts";
import type { PasskeyAnswer, PasskeyResponse } from "./passkeys.ts";
import { mailLink, signOut, useLink } from "./service.ts";
import type { Visit } from "./session.ts";

const HOME = "/app";
const MAX_PASSKEY_BYTES = 32_000;

/** @throws AppError RATE_LIMIT */
const counted = (limit: LimitGroup) =>
  createMiddleware<AppEnv>(async (c, next) => {
    await countVisitor(c, limit);
    await next();
  });

const visitOf = (c: AppContext): Visit => ({
  headers: c.req.raw.headers,
  origin: publicOrigin(c.var.deps, c.req.url),
});

export const signInPages = new Hono<AppEnv>();

signInPages.get("/sign-in", counted("read:pages"), async (c) => {
  if (!(await isOwned(c.var.deps))) return c.redirect("/claim", 303);
  const next = pathAfterSignIn(c.req.query("next"));
  const canMail = canSendMail(c.var.deps);
  return renderPlainPage(
    c,
    { title: "Sign in", scripts: [PASSKEY_SCRIPT_PATH] },
    <>
      <h1>Sign in</h1>
      <div class="card">
        {canMail ? <AddressForm next={next} /> : <OperatorHint />}
        {canMail && !hasMailer(c.var.deps) && <p class="muted">{LOGGED_MAIL}</p>}
        <button id="passkey" class="quiet" type="button" hidden data-next={next ?? HOME}>
          Sign in with a passkey
        </button>
        <p id="passkey-state" class="muted" role="status" />
      </div>
    </>,
  );
});

const AddressForm = ({ next }: { next: string | null }) => (
  <form method="post" action="/sign-in" class="fields">
    {next && <input type="hidden" name="next" value={next} />}
    <label>
      E-mail address
      <input type="email" name="email" required autocomplete="username webauthn" maxlength={254} />
    </label>
    <div>
      <button type="submit">Mail me a sign-in link</button>
    </div>
  </form>
);

const LOGGED_MAIL =
  "This instance runs in development and sends no mail. The text of each mail, with its link, is in the terminal of npm start, which printed a first sign-in link too.";

const OperatorHint = () => (
  <>
    <p>
      This server sends no mail, so it cannot send you a sign-in link. The person who runs it makes
      one in the folder that it is deployed from:
    </p>
    <pre>npm install && npx wrangler login</pre>
    <pre>npm run signin-link -- --remote --email you@example.com</pre>
  </>
);

signInPages.post("/sign-in", counted("sign-in"), async (c) => {
  const form = await readForm(c);
  const email = toEmail(textField(form, "email"));
  if (!email) {
    throw new AppError(
      null,
      "That is not an e-mail address. Go back, correct it and send it again.",
    );
  }
  const { deps } = c.var;
  const next = pathAfterSignIn(textField(form, "next"));
  const { origin } = visitOf(c);
  if (!canSendMail(deps)) return c.redirect("/sign-in", 303);
  const mailing = mailLink(deps, { email, origin, next }).catch((error: unknown) => {
    deps.log({ event: "sign_in.link_not_made", error: String(error) });
  });
  deps.defer(mailing);
  return c.redirect("/sign-in/sent", 303);
});

signInPages.get("/sign-in/sent", counted("read:pages"), (c) =>
  renderPlainPage(
    c,
    { title: "Check your mail" },
    <>
      <h1>Check your mail</h1>
      <p>
        If this address may sign in here, a link is on its way to it. It works once, within 15
        minutes.
      </p>
      {!hasMailer(c.var.deps) && <p>{LOGGED_MAIL}</p>}
      <p>
        Nothing came? Look in the spam folder, check the address, then{" "}
        <a href="/sign-in">ask for another link</a>. New people need an invite from a team first.
      </p>
    </>,
  ),
);

/** Mail scanners open links, so opening must not use a link up. */
signInPages.get("/sign-in/link", counted("read:pages"), (c) => {
  const token = c.req.query("token") ?? "";
  if (!isLinkToken(token)) return renderLinkOver(c);
  const next = pathAfterSignIn(c.req.query("next"));
  return renderPlainPage(
    c,
    { title: "Sign in" },
    <>
      <h1>Sign in to Akimbo</h1>
      <form method="post" action="/sign-in/link">
        <input type="hidden" name="token" value={token} />
        {next && <input type="hidden" name="next" value={next} />}
        <button type="submit">Sign in</button>
      </form>
    </>,
  );
});

signInPages.post("/sign-in/link", counted("sign-in"), async (c) => {
  const form = await readForm(c);
  const token = textField(form, "token");
  if (!isLinkToken(token)) return renderLinkOver(c);
  const used = await useLink(c.var.deps, visitOf(c), token);
  if (used.kind === "over") return renderLinkOver(c);
  if (used.kind === "closed") {
    throw new AppError(
      "FORBIDDEN",
      "No invite lets this address in any more: it was used, was revoked or has expired, or this instance has no place for one more person. Ask for a new invite.",
    );
  }
  setCookies(c, [used.cookie]);
  return c.redirect(pathAfterSignIn(textField(form, "next")) ?? HOME, 303);
});

const renderLinkOver = (c: Context) =>
  renderPlainPage(
    c,
    { title: "This link is over", status: 410 },
    <>
      <h1>This link no longer works</h1>
      <p>A sign-in link works once, for a short time. This one was used, or is too old.</p>
      <p>
        <a class="button" href="/sign-in">
          Sign in another way
        </a>
      </p>
    </>,
  );

signInPages.post("/sign-in/out", counted("write"), async (c) => {
  const visit = visitOf(c);
  await signOut(c.var.deps, visit);
  setCookies(c, [forgetSessionCookie(visit.origin)]);
  return c.redirect("/sign-in", 303);
});

signInPages.get(PASSKEY_SCRIPT_PATH, counted("read:pages"), (c) =>
  c.body(PASSKEY_SCRIPT, 200, {
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "public, max-age=300",
  }),
);

/** The script expects JSON, for errors too. */
const passkeyCalls = new Hono<AppEnv>();
passkeyCalls.onError(renderError);
passkeyCalls.use(counted("sign-in"));

const passkeys = () => import("./passkeys.ts");

passkeyCalls.post("/register-options", async (c) => {
  const { startPasskey } = await passkeys();
  return tell(c, await startPasskey(c.var.deps, visitOf(c)));
});

passkeyCalls.post("/register", async (c) => {
  const { response, name } = await readPasskey(c);
  const kept = requireName(name.trim()) || "Passkey";
  const { addPasskey } = await passkeys();
  return tell(c, await addPasskey(c.var.deps, visitOf(c), { response, name: kept }));
});

passkeyCalls.post("/options", async (c) => {
  const { startPasskeySignIn } = await passkeys();
  return tell(c, await startPasskeySignIn(c.var.deps, visitOf(c)));
});

passkeyCalls.post("/verify", async (c) => {
  const { response } = await readPasskey(c);
  const { signInByPasskey } = await passkeys();
  return tell(c, await signInByPasskey(c.var.deps, visitOf(c), { response }));
});

signInPages.route("/sign-in/passkey", passkeyCalls);

function setCookies(c: AppContext, cookies: readonly string[]): void {
  for (const cookie of cookies) c.header("Set-Cookie", cookie, { append: true });
}

function tell(c: AppContext, { status, cookies, body }: PasskeyAnswer): Response {
  setCookies(c, cookies);
  return c.json(body, status as 200, { "cache-control": "no-store" });
}

/** @throws AppError 413, 400 for a malformed body */
async function readPasskey(c: AppContext): Promise<{ response: PasskeyResponse; name: string }> {
  const bytes = await bodyOf(c.req.raw).readAll(MAX_PASSKEY_BYTES, async () => {});
  const body = parseObject(new TextDecoder().decode(bytes));
  const { response, name } = body ?? {};
  if (!isObject(response) || typeof response.id !== "string") {
    throw new AppError("INVALID_JSON", "The passkey's answer could not be read. Try again.");
  }
  return {
    response: { ...response, id: response.id },
    name: typeof name === "string" ? name : "",
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
