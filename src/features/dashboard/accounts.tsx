import { type Context, Hono } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { AppError } from "../../core/errors.ts";
import { readForm, textField } from "../../http/pages.tsx";
import { renderAppPage } from "../../pages/app-layout.tsx";
import { accountsOfTeam } from "../accounts/repo.ts";
import type { AccountRow } from "../accounts/table.ts";
import { type PageEnv, signedIn, viewerOf } from "../auth/signed-in.ts";
import { doneNotice, type Notice, NoticeLine, Section, State } from "./parts.tsx";
import { attempt } from "./refusals.ts";
import { zoneOfTeam } from "./repo.ts";
import { type Clock, clockOf, Time } from "./times.tsx";
import { ACCOUNT_WORDS, PLATFORM_NAMES, platformName } from "./words.ts";

export const accountsPage = new Hono<PageEnv>();

/** Notices by the name under which a form's answer leads back to this page. */
const DONE: Record<string, string> = {
  connected: "The account is connected.",
  removed: "The account has been disconnected. Its published posts stay in the list of uploads.",
};

/** The schema's own words are for callers of the API. */
const MISTAKEN = "Choose a platform of the list, and a name of at most 100 characters.";

accountsPage.get("/app/accounts", signedIn("read:pages"), (c) => {
  return showAccounts(c, { notice: doneNotice(DONE, c.req.query("done")), status: 200 });
});

accountsPage.post("/app/accounts", signedIn("write"), async (c) => {
  const form = await readForm(c);
  const { connectAccount, newAccountSchema } = await import("./actions.ts");
  const name = textField(form, "name");
  const wanted = newAccountSchema.safeParse({
    platform: textField(form, "platform"),
    sandbox: true,
    ...(name === "" ? {} : { name }),
  });
  const refused = await attempt(async () => {
    if (!wanted.success) throw new AppError(null, MISTAKEN);
    await connectAccount(c.var.ctx, wanted.data);
  });
  return refused ? showAccounts(c, refused) : c.redirect("/app/accounts?done=connected", 303);
});

async function showAccounts(
  c: Context<PageEnv>,
  { notice, status }: { notice: Notice | null; status: number },
): Promise<Response> {
  const { ctx } = c.var;
  const { team } = ctx;
  const [[zone = null], accounts] = await ctx.read("accounts:read", [
    zoneOfTeam({ team }),
    accountsOfTeam(team, {}),
  ]);
  const clock = clockOf(zone);
  return renderAppPage(
    c,
    viewerOf(c),
    { title: "Accounts", here: "/app/accounts", status: status as ContentfulStatusCode },
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
          <p class="muted">No account is connected yet. Connect one as told below.</p>
        )}
      </Section>
      <Section id="connect" title="Connect an account">
        <p>
          Call <code>POST /accounts</code> with an API token: see the{" "}
          <a href="/docs">API reference</a>.
        </p>
        {ctx.config.sandboxEnabled && <SandboxForm />}
      </Section>
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
      </div>
      <State {...ACCOUNT_WORDS[account.status]} />
    </li>
  );
};

/** Until when an account's login lives, where that is known. */
export const Login = ({ account, clock }: { account: AccountRow; clock: Clock }) => {
  const { status, renewAt, credentialsExpireAt } = account;
  if (status !== "active") return <p class="why">{RECONNECT}</p>;
  if (renewAt) {
    return (
      <p class="muted">
        The login renews itself, next on <Time at={renewAt} clock={clock} />.
      </p>
    );
  }
  if (!credentialsExpireAt) return null;
  return (
    <p class="muted">
      The login lives until <Time at={credentialsExpireAt} clock={clock} />; it is renewed by then
      where the platform lets it.
    </p>
  );
};

const RECONNECT =
  "The login does not work any more. Connect the same account again: its posts and tags stay.";

const SandboxForm = () => (
  <form class="fields" method="post" action="/app/accounts">
    <p>A sandbox account publishes to a simulated platform, to try things out.</p>
    <div>
      <label for="platform">Platform</label>
      <select id="platform" name="platform">
        {[...PLATFORM_NAMES].map(([platform, name]) => (
          <option value={platform}>{name}</option>
        ))}
      </select>
    </div>
    <div>
      <label for="name">
        Name <span class="hint">(optional)</span>
      </label>
      <input id="name" name="name" maxlength={100} autocomplete="off" />
    </div>
    <p>
      <button type="submit">Create a sandbox account</button>
    </p>
  </form>
);
