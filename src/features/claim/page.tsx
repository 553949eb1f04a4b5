import { Hono } from "hono";
import { accepts } from "hono/accepts";
import { AppError } from "../../core/errors.ts";
import { countVisitor } from "../../http/caller.ts";
import { type AppContext, type AppEnv, publicOrigin } from "../../http/env.ts";
import { renderError } from "../../http/errors.ts";
import { readForm, textField } from "../../http/pages.tsx";
import { renderPlainPage } from "../../pages/app-layout.tsx";
import { findLacks, type Lack } from "./checks.ts";
import { BROKEN, type Claimed, claimInstance, openClaim, type Standing } from "./service.ts";

export const claimPage = new Hono<AppEnv>();

claimPage.get("/claim", async (c) => {
  await countVisitor(c, "read:pages");
  const standing = await openClaim(c.var.deps);
  c.header("Vary", "Accept");
  const supports = ["text/html", "application/json"];
  const type = accepts(c, { header: "Accept", supports, default: "text/html" });
  if (type === "application/json") {
    c.header("Cache-Control", "no-store");
    if (standing.kind === "broken") return renderError(new AppError("UNAVAILABLE", BROKEN), c);
    return c.json({ success: true, data: { claimed: standing.kind === "owned" } });
  }
  return renderStanding(c, standing, null);
});

claimPage.post("/claim", async (c) => {
  await countVisitor(c, "sign-in");
  const form = await readForm(c);
  const written = { code: textField(form, "code"), email: textField(form, "email") };
  const visit = { headers: c.req.raw.headers, origin: publicOrigin(c.var.deps, c.req.url) };
  try {
    const claimed = await claimInstance(c.var.deps, visit, written);
    return renderClaimed(c, claimed, visit.origin);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { message, status } = error;
    return renderStanding(c, await openClaim(c.var.deps), {
      message,
      status,
      email: written.email,
    });
  }
});

interface Refused {
  message: string;
  status: number;
  email: string;
}

async function renderStanding(
  c: AppContext,
  standing: Standing,
  refused: Refused | null,
): Promise<Response> {
  if (standing.kind === "owned") {
    return renderPlainPage(
      c,
      { title: "This instance has an owner", status: 410 },
      <>
        <h1>This instance has an owner</h1>
        <p>It was claimed, and cannot be claimed again.</p>
        <p>
          <a class="button" href="/sign-in">
            Sign in
          </a>
        </p>
      </>,
    );
  }
  if (standing.kind === "broken") {
    return renderPlainPage(
      c,
      { title: "The database does not answer", status: 503 },
      <>
        <h1>The database does not answer</h1>
        <p class="notice bad" role="alert">
          {BROKEN}
        </p>
      </>,
    );
  }
  const lacks = await findLacks(c.var.deps);
  const status = refused?.status ?? 200;
  return renderPlainPage(
    c,
    { title: "Claim this instance", status, styles: STYLES },
    <>
      <header>
        <h1>Claim this instance</h1>
        <p class="lead">
          Akimbo is deployed and has no owner yet. Prove that the Cloudflare account is yours, and
          it is yours too.
        </p>
      </header>
      {refused && (
        <p class="notice bad" role="alert">
          {refused.message}
        </p>
      )}
      <ClaimForm codeFrom={standing.codeFrom} email={refused?.email ?? ""} />
      {lacks.length > 0 && <Lacks lacks={lacks} />}
    </>,
  );
}

const STYLES = `
.lacks > li + li { margin-top: 1rem; }
.lacks { margin-bottom: 0; padding-left: 1.2rem; }
.lacks pre, .keys pre { margin-top: .5rem; }
.keys > * + * { margin-top: .8rem; }
`;

const CODE_PLACES = {
  deployment:
    "The deployment printed it at its end. It works for 24 hours; after that this page writes a new one to the log.",
  log: "It is in the log of the Worker: open the Cloudflare dashboard, Workers, this Worker, Logs, and look for the line with claim.code. It works for 24 hours; after that this page writes a new one.",
};

const ClaimForm = ({
  codeFrom,
  email,
}: {
  codeFrom: keyof typeof CODE_PLACES | null;
  email: string;
}) =>
  codeFrom === null ? (
    <p class="notice">
      This deployment has no code. Deploy again by <code>npm run deploy</code>, which prints one.
    </p>
  ) : (
    <form method="post" action="/claim" class="card fields">
      <label>
        Code
        <input
          name="code"
          required
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          maxlength={40}
          aria-describedby="code-place"
        />
        <span class="hint" id="code-place">
          {CODE_PLACES[codeFrom]}
        </span>
      </label>
      <label>
        Your e-mail address
        <input
          type="email"
          name="email"
          required
          autocomplete="email"
          maxlength={254}
          value={email}
          aria-describedby="email-use"
        />
        <span class="hint" id="email-use">
          It is your name here, and the address for sign-in links once the instance can send mail.
        </span>
      </label>
      <div>
        <button type="submit">Claim</button>
      </div>
    </form>
  );

const Lacks = ({ lacks }: { lacks: readonly Lack[] }) => (
  <section class="card" aria-labelledby="lacks">
    <h2 id="lacks">What is missing</h2>
    <p class="muted">
      You can claim the instance before you mend this. Commands run in a copy of the folder that was
      deployed, after <code>npm install</code>.
    </p>
    <ul class="lacks">
      {lacks.map(({ text, command }) => (
        <li>
          {text}
          {command && <pre>{command}</pre>}
        </li>
      ))}
    </ul>
  </section>
);

function renderClaimed(
  c: AppContext,
  { cookie, token, keys }: Claimed,
  origin: string,
): Promise<Response> {
  if (cookie) c.header("Set-Cookie", cookie, { append: true });
  const lines = Object.entries(keys);
  return renderPlainPage(
    c,
    { title: "This instance is yours", styles: STYLES },
    <>
      <header>
        <h1>This instance is yours</h1>
        <p class="lead">You are signed in. Copy what stands here: it is shown this once.</p>
      </header>
      <section class="card" aria-labelledby="token">
        <h2 id="token">Your first API token</h2>
        <pre>{token}</pre>
        <p class="muted">
          Programs send it in the header <code>x-api-key</code> to <code>{origin}/api/v1</code>.
        </p>
      </section>
      {lines.length > 0 && (
        <section class="card keys" aria-labelledby="keys">
          <h2 id="keys">Keys to keep</h2>
          <p>
            The instance made these keys itself and keeps them in its own storage. A restore into
            another instance needs them: without ENCRYPTION_KEYS, no backup can be used to read the
            logins of connected accounts. Keep them where you keep passwords.
          </p>
          <pre>{lines.map(([name, value]) => `${name}=${value}`).join("\n")}</pre>
          <p class="muted">
            They may become secrets of the Worker later, under the same names and with the same
            values. Secrets come first.
          </p>
        </section>
      )}
      <section class="card" aria-labelledby="next">
        <h2 id="next">Next</h2>
        <ol>
          <li>
            <a href="/app/me">Add a passkey</a>, so that you can sign in again: this instance sends
            no mail yet.
          </li>
          <li>
            <a href="/app/accounts">Connect an account</a>
            {c.var.deps.config.sandboxEnabled &&
              "; a sandbox account needs no login, and nothing leaves this instance"}
            .
          </li>
          <li>
            <a href="/app/compose">Write a first post</a>.
          </li>
        </ol>
      </section>
    </>,
  );
}
