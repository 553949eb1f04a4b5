import { type Context, Hono } from "hono";
import { setCookie } from "hono/cookie";
import { createMiddleware } from "hono/factory";
import type { Child } from "hono/jsx";
import { notFound } from "../../core/errors.ts";
import { randomHex } from "../../core/ids.ts";
import { isPlatform } from "../../core/platforms.ts";
import { DAY, SECOND } from "../../core/time.ts";
import { countVisitor } from "../../http/caller.ts";
import { type AppContext, type AppEnv, publicOrigin } from "../../http/env.ts";
import { readForm } from "../../http/pages.tsx";
import { renderPlainPage } from "../../pages/app-layout.tsx";
import { AgreedTerms } from "../../pages/platform-terms.tsx";
import type { Connected } from "../../platforms/login.ts";
import { connectorOf, platformName } from "../../platforms/registry.ts";
import { COOKIE_PREFIX, cookieValue } from "../auth/cookie.ts";
import type { PageEnv } from "../auth/signed-in.ts";
import { publishesAs } from "./apps.ts";
import {
  type ConnectedStep,
  chooseAccounts,
  readChoice,
  returnFromConsent,
  type Step,
} from "./finish.ts";
import { linkPathOf } from "./link-service.ts";
import { openConsent, readClientMetadata, readOpening, type StoppedStep } from "./open.ts";
import type { AskedConsent } from "./repo/consents.ts";
import {
  choicePath,
  consentFormTargets,
  donePath,
  LINK_DONE,
  LINK_OVER,
  type Obstacle,
  redirectTarget,
} from "./rules.ts";
import { accountUntilAudit } from "./service.ts";

type AnyContext = AppContext | Context<PageEnv>;

export const consentPages = new Hono<AppEnv>();

const COOKIE = `${COOKIE_PREFIX}.consent`;

const BROWSER = /^[0-9a-f]{32}$/;

function boundBrowser(c: AnyContext): string | null {
  const value = cookieValue(c.req.header("cookie") ?? null, COOKIE);
  return value !== null && BROWSER.test(value) ? value : null;
}

/** Keeps an existing cookie: a browser may connect several platforms at once. */
function bindBrowser(c: AnyContext): string {
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

/** Link previews send HEAD requests, which must not use up the attempt. */
const unlessLooking = createMiddleware<AppEnv>(async (c, next) => {
  if (c.req.method === "HEAD") return c.body(null);
  await next();
});

/** The form must be sent before the redirect to the platform. */
consentPages.get("/oauth/start/:token", unlessLooking, async (c) => {
  await countVisitor(c, "connect");
  const opening = await readOpening(c.var.deps, c.req.param("token"));
  return opening.kind === "asking" ? askToGoOn(c, opening.consent) : showStop(c, opening);
});

consentPages.post("/oauth/start/:token", async (c) => {
  await countVisitor(c, "connect");
  return sendToPlatform(c, c.req.param("token"));
});

export async function sendToPlatform(c: AnyContext, token: string): Promise<Response> {
  const opening = await openConsent(c.var.deps, {
    token,
    browser: bindBrowser(c),
    origin: publicOrigin(c.var.deps, c.req.url),
  });
  return opening.kind === "sent" ? c.redirect(opening.url, 303) : showStop(c, opening);
}

function askToGoOn(
  c: AppContext,
  { platform, app, mode, team, person, returnTo }: AskedConsent,
): Promise<Response> {
  const { name, terms } = connectorOf(platform);
  const untilAudit = accountUntilAudit(c.var.deps, platform);
  const formTargets = consentFormTargets(c.var.deps.config);
  return renderPlainPage(
    c,
    { title: `Connect ${name}`, formTargets },
    <>
      <h1>Connect {name}</h1>
      <form class="card fields" method="post">
        <p>
          The team <bdi class="name">{team}</bdi> will be able to publish posts as{" "}
          {publishesAs(platform, app)}, and to read how they do.
        </p>
        {person && (
          <p>
            {person.name === null ? (
              <bdi>{person.email}</bdi>
            ) : (
              <>
                <bdi>{person.name}</bdi> (<bdi>{person.email}</bdi>)
              </>
            )}{" "}
            asks you for this. Go on only if you know this person and want it.
          </p>
        )}
        {mode === "sandbox" && (
          <p class="hint">To try it out: {name} is simulated, and no real account is touched.</p>
        )}
        <p>
          <button type="submit">Continue to {name}</button>
        </p>
        <p class="hint">
          You sign in at {name} itself: your password is not seen here.
          {returnTo?.startsWith("http") && ` You come to ${new URL(returnTo).host} afterwards.`}
        </p>
        {untilAudit !== null && <p class="why">{untilAudit}</p>}
        {terms && <AgreedTerms name={name} terms={terms} />}
      </form>
    </>,
  );
}

consentPages.get("/oauth/callback/:platform", unlessLooking, async (c) => {
  await countVisitor(c, "connect");
  const platform = c.req.param("platform");
  if (!isPlatform(platform)) throw notFound("Platform");
  const url = new URL(c.req.url);
  const browser = boundBrowser(c);
  if (browser === null && c.var.deps.config.isDevelopment && url.hostname === "127.0.0.1") {
    url.hostname = "localhost";
    return c.redirect(url.href, 302);
  }
  const { searchParams: query } = url;
  const origin = publicOrigin(c.var.deps, c.req.url);
  return goOn(c, await returnFromConsent(c.var.deps, { platform, query, browser, origin }));
});

consentPages.get("/oauth/:platform/client-metadata.json", async (c) => {
  await countVisitor(c, "read:pages");
  const { deps } = c.var;
  const platform = c.req.param("platform");
  const metadata = await readClientMetadata(deps, platform, publicOrigin(deps, c.req.url));
  if (!metadata) throw notFound("Document");
  return c.json(metadata, 200, { "Cache-Control": "public, max-age=600" });
});

const ID = /^[1-9]\d{0,14}$/;

/** @throws AppError NOT_FOUND for a malformed id */
function readId(c: AppContext): number {
  const id = c.req.param("id") ?? "";
  if (!ID.test(id)) throw notFound("Page");
  return Number(id);
}

consentPages.get("/oauth/choose/:id", async (c) => {
  await countVisitor(c, "read:pages");
  return showChoice(c, null);
});

consentPages.post("/oauth/choose/:id", async (c) => {
  await countVisitor(c, "connect");
  const form = await readForm(c);
  const picks = form.getAll("account").filter((pick) => typeof pick === "string");
  const browser = boundBrowser(c);
  const step = await chooseAccounts(c.var.deps, readId(c), { browser, picks });
  return step.kind === "none" ? showChoice(c, "Choose at least one account.") : goOn(c, step);
});

/** For attempts without another site or page to return to. */
consentPages.get("/oauth/done/:id", async (c) => {
  await countVisitor(c, "read:pages");
  const step = await readChoice(c.var.deps, readId(c), { browser: boundBrowser(c) });
  if (step.kind === "choosing") return c.redirect(choicePath(step.consent.id), 303);
  const { consent } = step;
  const isHere = step.kind === "connected" && consent?.returnTo === null && consent.linkId === null;
  return isHere ? showConnected(c, step) : goOn(c, step);
});

function goOn(c: AppContext, step: Step): Promise<Response> | Response {
  if (step.kind === "stopped") return showStop(c, step);
  if (step.kind === "choose") return c.redirect(choicePath(step.consent.id), 303);
  return leadOn(c, step);
}

async function leadOn(c: AppContext, { consent, accounts }: ConnectedStep): Promise<Response> {
  const { id, platform, returnTo, linkId } = consent;
  if (returnTo?.startsWith("/")) return c.redirect(`${returnTo}?done=connected`, 303);
  if (returnTo !== null) {
    const accountIds = accounts.map(({ id }) => id);
    return c.redirect(redirectTarget(returnTo, platform, { status: "connected", accountIds }), 303);
  }
  if (linkId !== null) {
    return c.redirect(`${await linkPathOf(c.var.deps, linkId)}?done=${LINK_DONE}`, 303);
  }
  return c.redirect(donePath(id), 303);
}

function showConnected(
  c: AppContext,
  { consent: { platform }, accounts }: ConnectedStep,
): Promise<Response> {
  const names = accounts.map(({ accountName }) => accountName).join(", ");
  return showPlain(
    c,
    200,
    `${platformName(platform)} is connected`,
    <p>
      {names} {accounts.length === 1 ? "is" : "are"} connected. You can close this page.
    </p>,
  );
}

/** All other refusals answer 400. */
const STATUS: Partial<Record<Obstacle["ending"], number>> = {
  declined: 200,
  expired: 410,
  taken: 409,
  unavailable: 503,
};

/** A client with a link sees the reason here first, and may try again. */
async function showStop(c: AnyContext, { obstacle, consent }: StoppedStep): Promise<Response> {
  const { ending, message } = obstacle;
  const status = STATUS[ending] ?? 400;
  const title = ending === "declined" ? "Nothing was connected" : "That did not work";
  const returnTo = consent?.returnTo ?? null;
  const isElsewhere = returnTo !== null && !returnTo.startsWith("/");
  const result = { status: "failed", error: ending, message } as const;
  const site = consent && isElsewhere ? redirectTarget(returnTo, consent.platform, result) : null;
  if (site !== null && consent?.linkId === null) return c.redirect(site, 303);
  const link = consent && consent.linkId !== null && (await linkPathOf(c.var.deps, consent.linkId));
  if (link && consent.step === "done") return c.redirect(`${link}?done=${LINK_DONE}`, 303);
  const again = obstacle === LINK_OVER ? null : link;
  return showPlain(
    c,
    status,
    title,
    <>
      <p>{message}</p>
      <p class="row">
        {again && (
          <a class="button" href={again}>
            Try again
          </a>
        )}
        {site !== null && (
          <a class="button quiet" href={site}>
            Go on to {new URL(site).host} without it
          </a>
        )}
        {returnTo !== null && !isElsewhere && (
          <a class="button" href={returnTo}>
            Back
          </a>
        )}
      </p>
    </>,
  );
}

async function showChoice(c: AppContext, refusal: string | null): Promise<Response> {
  const choice = await readChoice(c.var.deps, readId(c), { browser: boundBrowser(c) });
  if (choice.kind !== "choosing") return goOn(c, choice);
  const { consent, accounts } = choice;
  return renderPlainPage(
    c,
    {
      title: "Choose accounts",
      status: refusal === null ? 200 : 400,
      ...(consent.returnTo?.startsWith("http")
        ? { formTargets: new URL(consent.returnTo).origin }
        : {}),
    },
    <>
      <h1>Choose accounts</h1>
      {refusal !== null && (
        <p class="notice bad" role="alert">
          {refusal}
        </p>
      )}
      <form class="card fields" method="post">
        <fieldset>
          <legend>Accounts of {platformName(consent.platform)} to connect</legend>
          {accounts.map((account, i) => (
            <Option account={account} isFirst={i === 0} isOnly={consent.linkId !== null} />
          ))}
        </fieldset>
        <p>
          <button type="submit">Connect</button>
        </p>
      </form>
    </>,
  );
}

const Option = ({
  account: { profile },
  isFirst,
  isOnly,
}: {
  account: Connected;
  isFirst: boolean;
  isOnly: boolean;
}) => (
  <label class="check">
    <input
      type={isOnly ? "radio" : "checkbox"}
      name="account"
      value={profile.platformAccountId}
      checked={isFirst}
    />{" "}
    <span>
      <bdi>{profile.accountName}</bdi>
      {profile.handle && (
        <span class="muted">
          {" "}
          <bdi>{profile.handle}</bdi>
        </span>
      )}
    </span>
  </label>
);

const showPlain = (c: Context, status: number, title: string, content: Child): Promise<Response> =>
  renderPlainPage(
    c,
    { title, status },
    <>
      <h1>{title}</h1>
      {content}
    </>,
  ) as Promise<Response>;
