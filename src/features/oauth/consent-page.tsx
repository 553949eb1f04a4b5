import { type Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import { AppError } from "../../core/errors.ts";
import { randomHex } from "../../core/ids.ts";
import { SCOPE_WORDS, type Scope } from "../../core/scopes.ts";
import { sha256Hex } from "../../core/signature.ts";
import { MINUTE } from "../../core/time.ts";
import { publicOrigin } from "../../http/env.ts";
import { readForm, refuseCrossSite, textField } from "../../http/pages.tsx";
import { renderPlainPage } from "../../pages/app-layout.tsx";
import { ShownTeam, TeamForm } from "../../pages/team-form.tsx";
import { platformName } from "../../platforms/registry.ts";
import { accountsOfTeam } from "../accounts/repo.ts";
import type { AccountRow } from "../accounts/table.ts";
import { type PageEnv, type PersonCtx, rememberTeam, signedIn } from "../auth/signed-in.ts";
import {
  type AuthorizationRequest,
  errorUrl,
  ownQuery,
  type RefusedRequest,
  readAuthorization,
} from "./authorize.ts";
import { allowProgram, redirectHost } from "./consent.ts";
import { logStep } from "./log.ts";
import { ENDPOINTS } from "./metadata.ts";
import { OAuthRefusal } from "./refusal.ts";
import { requestByHash, storeRequest } from "./repo/grants.ts";
import { isLoopbackRedirect } from "./rules.ts";

export const CONSENT_PATH = ENDPOINTS.authorization;

/** How long a visitor may take to sign in. */
const REQUEST_LIFETIME_MS = 30 * MINUTE;

type Page = Context<PageEnv>;

export const consentPage = new Hono<PageEnv>();

consentPage.use(CONSENT_PATH, refuseCrossSite);
consentPage.use(`${CONSENT_PATH}/*`, refuseCrossSite);

/** A visitor who is signed out comes back to a short address, which fits into a sign-in link. */
consentPage.get(CONSENT_PATH, async (c, next) => {
  await next();
  if (c.error instanceof AppError && c.error.code === "UNAUTHORIZED" && !c.req.query("request")) {
    const answer = await keepRequest(c);
    c.res = undefined;
    c.res = answer;
  }
});

consentPage.get(CONSENT_PATH, signedIn("read:pages"), async (c) => {
  const query = await queryOf(c);
  const request = await readRequest(c, query);
  if ("redirectTo" in request) return refused(c, request);
  return showConsent(c, { query, request });
});

consentPage.post(CONSENT_PATH, signedIn("write"), async (c) => {
  const { ctx, deps } = c.var;
  const query = await queryOf(c);
  const request = await readRequest(c, query);
  if ("redirectTo" in request) return refused(c, request);
  const form = await readForm(c);
  if (textField(form, "person") !== String(ctx.actor.userId)) {
    const notice = "Another person has signed in since this page was opened. Nothing was allowed.";
    return showConsent(c, { query, request, notice });
  }
  const client = request.client.id;
  if (textField(form, "decision") !== "allow") {
    logStep(deps, { step: "consent", outcome: "refused", reason: "denied_by_person", client });
    const response = { ...request, origin: originOf(c) };
    return goOn(c, request, errorUrl(response, "access_denied", "The person refused."));
  }
  try {
    const to = await allowProgram(ctx, request, readConsent(form), originOf(c));
    logStep(deps, { step: "consent", outcome: "done", client });
    return goOn(c, request, to);
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 400) throw error;
    return showConsent(c, { query, request, notice: error.message, sent: form });
  }
});

consentPage.post(
  `${CONSENT_PATH}/workspace`,
  signedIn("write", { isPersonal: true }),
  async (c) => {
    const { person } = c.var.ctx;
    const form = await readForm(c);
    const team = person.teams.find(({ id }) => String(id) === textField(form, "workspace"));
    if (!team) throw new AppError("FORBIDDEN", "You do not belong to that team.");
    rememberTeam(c, team.id);
    return c.redirect(`${CONSENT_PATH}?${await queryOf(c)}`, 303);
  },
);

const originOf = (c: Page): string => publicOrigin(c.var.deps, c.req.url);

async function queryOf(c: Page): Promise<URLSearchParams> {
  const sent = new URL(c.req.url).searchParams;
  const handle = sent.get("request");
  if (handle === null) return ownQuery(sent);
  const { db, now } = c.var.deps;
  const [[stored]] = await db.run([requestByHash({ hash: await sha256Hex(handle), at: now() })]);
  if (stored !== undefined) return new URLSearchParams(stored);
  throw new AppError("NOT_FOUND", "This request is over. Start again in the program.");
}

/** @throws AppError 400 for what is shown to the person instead of the program */
async function readRequest(c: Page, query: URLSearchParams) {
  try {
    return await readAuthorization(c.var.deps, query, originOf(c));
  } catch (error) {
    if (!(error instanceof OAuthRefusal)) throw error;
    const { reason, message } = error;
    const client = query.get("client_id");
    logStep(c.var.deps, { step: "authorize", outcome: "refused", reason, client });
    throw new AppError(null, `${message} Nothing was sent to the program.`);
  }
}

async function keepRequest(c: Page): Promise<Response> {
  const { db, now } = c.var.deps;
  const handle = randomHex(16);
  await db.run([
    storeRequest({
      hash: await sha256Hex(handle),
      query: (await queryOf(c)).toString(),
      expiresAt: new Date(now().getTime() + REQUEST_LIFETIME_MS),
    }),
  ]);
  return c.redirect(
    `/sign-in?next=${encodeURIComponent(`${CONSENT_PATH}?request=${handle}`)}`,
    303,
  );
}

function refused(c: Page, { redirectTo, reason }: RefusedRequest): Response {
  const client = c.req.query("client_id") ?? null;
  logStep(c.var.deps, { step: "authorize", outcome: "refused", reason, client });
  return c.redirect(redirectTo, 303);
}

const LIFETIMES: readonly (readonly [days: number | null, text: string])[] = [
  [null, "until I end it"],
  [7, "for 7 days"],
  [30, "for 30 days"],
  [365, "for a year"],
];

function readConsent(form: FormData) {
  const days = Number(textField(form, "days"));
  return {
    scopes: form.getAll("scopes") as Scope[],
    accounts:
      textField(form, "which") === "some"
        ? form.getAll("accounts").filter((one) => typeof one === "string")
        : null,
    days: LIFETIMES.some(([one]) => one === days) ? days : null,
  };
}

/**
 * Shows a page that opens the program's address by itself. A redirect would fail: browsers apply the form-action policy
 * of the consent page to every redirect that follows its form, also to those of the program.
 */
async function goOn(c: Page, request: AuthorizationRequest, to: string): Promise<Response> {
  c.header("Refresh", `0; url=${to}`);
  return renderPlainPage(
    c,
    { title: "Back to the program" },
    <>
      <h1>Back to {request.client.name}</h1>
      <p>
        If nothing happens, <a href={to}>go on here</a>. You may close this page afterwards.
      </p>
    </>,
  );
}

interface Shown {
  query: URLSearchParams;
  request: AuthorizationRequest;
  notice?: string;
  sent?: FormData;
}

async function showConsent(c: Page, { query, request, notice, sent }: Shown): Promise<Response> {
  const { ctx, deps } = c.var;
  const [accounts] = await ctx.read("*", [accountsOfTeam(ctx.team, { status: "active" })]);
  logStep(deps, { step: "authorize", outcome: "shown", client: request.client.id });
  return renderPlainPage(
    c,
    { title: `Allow ${request.client.name}?`, status: notice === undefined ? 200 : 400 },
    <ShownTeam.Provider value={ctx.actor.teamId}>
      <Consent {...{ ctx, query, request, accounts, notice, sent: sent ?? null }} />
    </ShownTeam.Provider>,
  );
}

interface ConsentProps extends Omit<Shown, "sent" | "notice"> {
  ctx: PersonCtx;
  accounts: readonly AccountRow[];
  notice: string | undefined;
  sent: FormData | null;
}

const Consent = ({ ctx, query, request, accounts, notice, sent }: ConsentProps) => {
  const { client, scopes, resource } = request;
  const { person, actor } = ctx;
  const isSome = sent !== null && textField(sent, "which") === "some";
  return (
    <>
      <h1>Allow {client.name}?</h1>
      {notice !== undefined && (
        <p class="notice bad" role="alert">
          {notice}
        </p>
      )}
      <Who request={request} />
      <p>
        You are signed in as <strong>{person.email}</strong>. <a href="/app/me">This is not me</a>
      </p>
      {person.teams.length > 1 && (
        <form method="post" action={`${CONSENT_PATH}/workspace?${query}`} class="card row">
          <label>
            Workspace
            <select name="workspace">
              {person.teams.map(({ id, name }) => (
                <option value={String(id)} selected={id === actor.teamId}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <button class="quiet" type="submit">
            Take this one
          </button>
        </form>
      )}
      <TeamForm class="card fields" action={`${CONSENT_PATH}?${query}`}>
        <input type="hidden" name="person" value={String(actor.userId)} />
        <fieldset>
          <legend>In {person.teams.find(({ id }) => id === actor.teamId)?.name} it may</legend>
          {scopes.map((scope) => (
            <label>
              <input
                type="checkbox"
                name="scopes"
                value={scope}
                checked={sent ? sent.getAll("scopes").includes(scope) : scope !== "posts:publish"}
              />{" "}
              {SCOPE_WORDS[scope]}
            </label>
          ))}
        </fieldset>
        {resource === "mcp" && accounts.length > 0 && (
          <fieldset>
            <legend>With</legend>
            <label>
              <input type="radio" name="which" value="all" checked={!isSome} /> all accounts, also
              those that are connected later
            </label>
            <label>
              <input type="radio" name="which" value="some" checked={isSome} /> only these:
            </label>
            <div class="checks">
              {accounts.map(({ id, accountName, platform }) => (
                <label>
                  <input
                    type="checkbox"
                    name="accounts"
                    value={id}
                    checked={sent?.getAll("accounts").includes(id)}
                  />{" "}
                  {accountName} ({platformName(platform)})
                </label>
              ))}
            </div>
          </fieldset>
        )}
        <label>
          How long
          <select name="days">
            {LIFETIMES.map(([days, text]) => (
              <option
                value={String(days ?? "")}
                selected={sent !== null && textField(sent, "days") === String(days ?? "")}
              >
                {text}
              </option>
            ))}
          </select>
          <span class="hint">
            A program that is not used for 60 days ends by itself. You can end it at any time on the
            page Tokens.
          </span>
        </label>
        <div class="row">
          <button type="submit" name="decision" value="allow">
            Allow
          </button>
          <button type="submit" name="decision" value="deny" class="quiet">
            Refuse
          </button>
        </div>
      </TeamForm>
    </>
  );
};

const Who = ({ request }: { request: AuthorizationRequest }) => {
  const { redirectUri } = request;
  const isHere = isLoopbackRedirect(redirectUri);
  return (
    <div class="card">
      <p>{whoIs(request)}</p>
      <p class="muted">
        The answer goes to{" "}
        {isHere ? "a program on this computer" : <strong>{redirectHost(redirectUri)}</strong>}.
        {isHere && " Allow it only if you have just started this in a program that you trust."}
      </p>
    </div>
  );
};

function whoIs({ client }: AuthorizationRequest): Child {
  switch (client.kind) {
    case "document":
      return (
        <>
          <strong>{client.name}</strong> wants to act for you. Its name is vouched for by{" "}
          <strong>{client.verifiedHost}</strong>.
        </>
      );
    case "registered":
      return (
        <>
          A program that calls itself <strong>{client.name}</strong> wants to act for you. It has
          registered itself: nothing proves its name.
        </>
      );
    case "app":
      return (
        <>
          <strong>{client.name}</strong> wants to act for you. It is an app that was registered here
          by the workspace <strong>{client.teamName}</strong>.
        </>
      );
    case "cli":
      return (
        <>
          The <strong>Akimbo command line</strong> wants to act for you.
        </>
      );
    default:
      throw client.kind satisfies never;
  }
}
