import { type Context, Hono } from "hono";
import { AppError } from "../../core/errors.ts";
import { randomHex } from "../../core/ids.ts";
import { sha256Hex } from "../../core/signature.ts";
import { MINUTE } from "../../core/time.ts";
import { publicOrigin } from "../../http/env.ts";
import { readForm, refuseCrossSite, textField } from "../../http/pages.tsx";
import { renderPlainPage } from "../../pages/app-layout.tsx";
import { ShownTeam } from "../../pages/team-form.tsx";
import { accountsOfTeam } from "../accounts/repo.ts";
import { type PageEnv, rememberTeam, signedIn } from "../auth/signed-in.ts";
import {
  type AuthorizationRequest,
  errorUrl,
  ownQuery,
  type RefusedRequest,
  readAuthorization,
} from "./authorize.ts";
import { allowProgram, redirectHost } from "./consent.ts";
import { Consent, readConsent } from "./consent-form.tsx";
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
      <Consent
        {...{ ctx, request, accounts, notice, sent: sent ?? null }}
        action={`${CONSENT_PATH}?${query}`}
        workspaceAction={`${CONSENT_PATH}/workspace?${query}`}
      >
        <AnswerGoesTo request={request} />
      </Consent>
    </ShownTeam.Provider>,
  );
}

const AnswerGoesTo = ({ request: { redirectUri } }: { request: AuthorizationRequest }) => {
  const isHere = isLoopbackRedirect(redirectUri);
  return (
    <p class="muted">
      The answer goes to{" "}
      {isHere ? "a program on this computer" : <strong>{redirectHost(redirectUri)}</strong>}.
      {isHere && " Allow it only if you have just started this in a program that you trust."}
    </p>
  );
};
