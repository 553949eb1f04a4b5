import { type Context, Hono } from "hono";
import { now } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import { isPlatform } from "../../core/platforms.ts";
import { publicOrigin } from "../../http/env.ts";
import { readForm, textField } from "../../http/pages.tsx";
import { type Clock, clockOf, Time } from "../../pages/times.tsx";
import type { Connector } from "../../platforms/connector.ts";
import { connectorOf, platformName } from "../../platforms/registry.ts";
import { accountsOfTeam } from "../accounts/repo.ts";
import { isEnding, isLosingAccess } from "../accounts/rules.ts";
import type { AccountRow } from "../accounts/table.ts";
import { isInstanceOwner } from "../auth/repo/people.ts";
import { type PageEnv, signedIn } from "../auth/signed-in.ts";
import { consentFormTargets, MAX_IDENTIFIER } from "../connect/rules.ts";
import { zoneOfTeam } from "../settings/repo.ts";
import { OFFER_STYLES, OfferList, SandboxForm, type SentLogin } from "./connect-parts.tsx";
import { doneNotice, NoticeLine, renderOwnPage, Section, State } from "./parts.tsx";
import { attempt, type Shown } from "./refusals.ts";
import { ACCOUNT_WORDS } from "./words.ts";

export const accountsPage = new Hono<PageEnv>();

const DONE_MESSAGES: Record<string, string> = {
  connected: "The account is connected.",
  removed: "The account has been disconnected. Its published posts stay in the list of uploads.",
};

const MISTAKEN = "Choose a platform of the list, and a name of at most 100 characters.";

accountsPage.get("/app/accounts", signedIn("read:pages"), (c) => {
  return showAccounts(c, { notice: doneNotice(DONE_MESSAGES, c.req.query("done")), status: 200 });
});

accountsPage.post("/app/accounts/connect", signedIn("write"), async (c) => {
  const form = await readForm(c);
  const platform = textField(form, "platform");
  const mode = textField(form, "mode") === "sandbox" ? "sandbox" : "live";
  const identifier = textField(form, "identifier").slice(0, MAX_IDENTIFIER) || null;
  const { startFromPage } = await import("../connect/service.ts");
  const { sendToPlatform } = await import("../connect/pages.tsx");
  let token = "";
  const refused = await attempt(async () => {
    if (!isPlatform(platform)) throw new AppError(null, "Choose a platform of the list.");
    const type = textField(form, "type") === "page" ? "page" : null;
    const input = { platform, mode, type, identifier } as const;
    ({ token } = await startFromPage(c.var.ctx, input, "/app/accounts"));
  });
  return refused ? showAccounts(c, refused) : sendToPlatform(c, token);
});

accountsPage.post("/app/accounts", signedIn("write"), async (c) => {
  const form = await readForm(c);
  const { connectAccount, newAccountSchema } = await import("./actions.ts");
  const platform = textField(form, "platform");
  const own = isPlatform(platform) ? filledIn(connectorOf(platform), form) : null;
  const input = newAccountSchema.safeParse(own ? { platform, ...own.values } : simulated(form));
  const refused = await attempt(async () => {
    if (!input.success) throw new AppError(null, own ? mistakeIn(own.missing) : MISTAKEN);
    await connectAccount(c.var.ctx, input.data);
  });
  if (!refused) return c.redirect("/app/accounts?done=connected", 303);
  return showAccounts(c, { ...refused, sent: { platform, values: own?.values ?? {} } });
});

/** The form of the platform that was sent: its values, and the labels of what is missing. */
function filledIn({ logins = [] }: Connector, form: FormData) {
  const sent = logins.find(({ fields }) =>
    fields.every(({ name, isOptional }) => isOptional || form.has(name)),
  );
  if (!sent) return null;
  const written = sent.fields.map((field) => ({ ...field, value: textField(form, field.name) }));
  const filled = written.filter(({ value }) => value !== "");
  return {
    values: Object.fromEntries(filled.map(({ name, value }) => [name, value])),
    missing: written
      .filter(({ value, isOptional }) => value === "" && !isOptional)
      .map(({ label }) => label),
  };
}

const simulated = (form: FormData) => ({
  platform: textField(form, "platform"),
  sandbox: true,
  name: textField(form, "name") || undefined,
});

const mistakeIn = (missing: readonly string[]): string =>
  missing.length > 0
    ? `Fill in what is missing: ${missing.join(", ")}.`
    : "One of the fields cannot be read. Write it again.";

const NOTHING_SENT: SentLogin = { platform: "", values: {} };

async function mistakesOf({ req, var: { ctx, deps } }: Context<PageEnv>) {
  const { listMistakes } = await import("../setup/service.ts");
  return listMistakes(ctx, publicOrigin(deps, req.url));
}

async function showAccounts(
  c: Context<PageEnv>,
  { notice, status, sent = NOTHING_SENT }: Shown & { sent?: SentLogin },
): Promise<Response> {
  const { ctx } = c.var;
  const { team } = ctx;
  const { platformOffers } = await import("../connect/service.ts");
  const offers = platformOffers(ctx);
  const [[zone = null], accounts, [isOwner = false]] = await ctx.read("accounts:read", [
    zoneOfTeam({ team }),
    accountsOfTeam(team, {}),
    isInstanceOwner({ user: ctx.user }),
  ]);
  const clock = clockOf(zone);
  const mistakes = isOwner ? await mistakesOf(c) : [];
  return renderOwnPage(
    c,
    {
      title: "Accounts",
      here: "/app/accounts",
      status,
      styles: OFFER_STYLES,
      formTargets: consentFormTargets(ctx.config),
    },
    <>
      <h1>Accounts</h1>
      <NoticeLine notice={notice} />
      <Section
        id="connected"
        title={accounts.length === 1 ? "1 account" : `${accounts.length} accounts`}
      >
        {accounts.length > 0 ? (
          <ul class="list">
            {accounts.map((account) => (
              <AccountItem account={account} clock={clock} />
            ))}
          </ul>
        ) : (
          <p class="muted">No account is connected yet. Connect one as described below.</p>
        )}
      </Section>
      <Section id="connect" title="Connect an account">
        {offers.some(({ refusal }) => refusal !== null) && (
          <p class="muted">
            {isOwner ? (
              <>
                What a platform needs before its accounts can be connected here, step by step, is on
                the <a href="/app/setup">setup page</a>.
              </>
            ) : (
              "The owner of this instance sets up the platforms that cannot be connected here yet."
            )}
          </p>
        )}
        {mistakes.length > 0 && (
          <ul>
            {mistakes.map(({ platform, name, message }) => (
              <li class="why">
                <a href={`/app/setup/${platform}`}>Setup of {name}</a>: {message}
              </li>
            ))}
          </ul>
        )}
        <OfferList offers={offers} sent={sent} />
        <p class="muted">
          A client connects an account on a <a href="/app/connection-pages">connection page</a>, a
          program by <code>POST /accounts</code>: see the <a href="/docs">API reference</a>.
        </p>
      </Section>
      {ctx.config.sandboxEnabled && (
        <Section id="sandbox" title="Create a sandbox account">
          <SandboxForm />
        </Section>
      )}
    </>,
  );
}

const AccountItem = ({ account, clock }: { account: AccountRow; clock: Clock }) => {
  const { id, platform, accountName, handle, mode, tags } = account;
  const about = [
    platformName(platform),
    ...(handle ? [handle] : []),
    ...(mode === "sandbox" ? ["sandbox"] : []),
    ...(tags ? [`tags: ${tags.split(",").join(", ")}`] : []),
  ];
  return (
    <li>
      <div class="grow">
        <a href={`/app/accounts/${id}`}>{accountName}</a>
        <p class="muted">{about.join(" · ")}</p>
        <Login account={account} clock={clock} />
        <DataAccess account={account} clock={clock} />
      </div>
      <State {...ACCOUNT_WORDS[account.status]} />
    </li>
  );
};

export const Login = ({ account, clock }: { account: AccountRow; clock: Clock }) => {
  const { platform, status, renewAt, credentialsExpireAt, loginEndsAt } = account;
  if (status !== "active") return <p class="why">{RECONNECT}</p>;
  if (loginEndsAt && isEnding(account, now())) {
    return (
      <p class="why">
        The login ends on <Time at={loginEndsAt} clock={clock} />. Connect the same account again
        before then: its posts and tags stay.
      </p>
    );
  }
  if (renewAt && connectorOf(platform).refreshAheadSeconds !== undefined) {
    return (
      <p class="muted">
        {credentialsExpireAt || loginEndsAt
          ? "The login renews itself"
          : "The login has no end, and is looked at"}
        , next on <Time at={renewAt} clock={clock} />
        {loginEndsAt && (
          <>
            ; without that it lives until <Time at={loginEndsAt} clock={clock} />
          </>
        )}
        .
      </p>
    );
  }
  if (loginEndsAt) {
    return (
      <p class="muted">
        The login lives until <Time at={loginEndsAt} clock={clock} />. Then the account has to be
        connected again.
      </p>
    );
  }
  if (!credentialsExpireAt) return <p class="muted">The login has no known end.</p>;
  return <p class="muted">The login is renewed whenever it is used.</p>;
};

type Access = Pick<AccountRow, "platform" | "status" | "dataAccessEndsAt">;

export const DataAccess = ({ account, clock }: { account: Access; clock: Clock }) => {
  const { platform, status, dataAccessEndsAt } = account;
  if (status !== "active" || dataAccessEndsAt === null) return null;
  const name = platformName(platform);
  const isOver = dataAccessEndsAt <= now();
  const isLosing = isLosingAccess(account, now());
  return (
    <p class={isLosing ? "why" : "muted"}>
      {isOver ? `${name} stopped letting` : `${name} lets`} this app use the account's data{" "}
      {isOver ? "on" : "until"} <Time at={dataAccessEndsAt} clock={clock} />.
      {isLosing && " Connect the same account again: its posts and tags stay."}
    </p>
  );
};

const RECONNECT =
  "The login does not work any more. Connect the same account again: its posts and tags stay.";
