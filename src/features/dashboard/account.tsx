import { type Context, Hono } from "hono";
import { notFound } from "../../core/errors.ts";
import { readForm, textField } from "../../http/pages.tsx";
import { Fact } from "../../pages/fact.tsx";
import { TeamForm } from "../../pages/team-form.tsx";
import { clockOf, Time } from "../../pages/times.tsx";
import type { ConsentScopes } from "../../platforms/consent.ts";
import { connectorOf, platformName } from "../../platforms/registry.ts";
import { accountById, accountSharingLogin, lastUseOf } from "../accounts/repo.ts";
import { isRevokedAtPlatform, isSwitchedOff, SWITCHED_OFF } from "../accounts/rules.ts";
import type { AccountRow } from "../accounts/table.ts";
import { type PageEnv, signedIn } from "../auth/signed-in.ts";
import { consentFormTargets, describeScopes } from "../connect/rules.ts";
import { zoneOfTeam } from "../settings/repo.ts";
import { DataAccess, Login } from "./accounts.tsx";
import { Button, InputField, SubmitLine } from "./form-parts.tsx";
import { doneNotice, NoticeLine, renderOwnPage, Section, State } from "./parts.tsx";
import { attempt, readFields, type Shown } from "./refusals.ts";
import { ACCOUNT_WORDS } from "./words.ts";

export const accountPage = new Hono<PageEnv>();

const DONE_MESSAGES: Record<string, string> = {
  connected: "The account is connected again.",
  tagged: "The tags are saved.",
};

accountPage.get("/app/accounts/:id", signedIn("read:pages"), (c) => {
  return showAccount(c, { notice: doneNotice(DONE_MESSAGES, c.req.query("done")), status: 200 });
});

accountPage.post("/app/accounts/:id/tags", signedIn("write"), async (c) => {
  const id = c.req.param("id");
  const form = await readForm(c);
  const { accountTagsSchema, setAccountTags } = await import("./actions.ts");
  const refused = await attempt(async () => {
    const { tags } = readFields(accountTagsSchema, { tags: textField(form, "tags") });
    await setAccountTags(c.var.ctx, id, tags);
  });
  if (refused) return showAccount(c, refused);
  return c.redirect(`/app/accounts/${encodeURIComponent(id)}?done=tagged`, 303);
});

accountPage.post("/app/accounts/:id/reconnect", signedIn("write"), async (c) => {
  const id = c.req.param("id");
  const { startReconnect } = await import("../connect/service.ts");
  const { sendToPlatform } = await import("../connect/pages.tsx");
  let token = "";
  const refused = await attempt(async () => {
    const page = `/app/accounts/${encodeURIComponent(id)}`;
    ({ token } = await startReconnect(c.var.ctx, id, page));
  });
  return refused ? showAccount(c, refused) : sendToPlatform(c, token);
});

/** @throws AppError NOT_FOUND */
async function readAccount(c: Context<PageEnv>) {
  const id = c.req.param("id") ?? "";
  const { ctx } = c.var;
  const { team } = ctx;
  const [[zone = null], [account], [lastUsedAt]] = await ctx.read("accounts:read", [
    zoneOfTeam({ team }),
    accountById(team, id),
    lastUseOf(team, id),
  ]);
  if (!account) throw notFound("Account");
  return { account, lastUsedAt, clock: clockOf(zone) };
}

async function showAccount(c: Context<PageEnv>, { notice, status }: Shown): Promise<Response> {
  const { account, lastUsedAt, clock } = await readAccount(c);
  const { accountName, platform, handle, failureCount } = account;
  const { config } = c.var.ctx;
  const { missingScopesOf, refusedReconnect, scopesInWords } = await import(
    "../connect/service.ts"
  );
  return renderOwnPage(
    c,
    {
      title: accountName,
      here: "/app/accounts",
      status,
      formTargets: consentFormTargets(config),
    },
    <>
      <p>
        <a href="/app/accounts">All accounts</a>
      </p>
      <h1>{accountName}</h1>
      <NoticeLine notice={notice} />
      <Section id="state" title="State">
        <p>
          <State {...ACCOUNT_WORDS[account.status]} />
        </p>
        <Login account={account} clock={clock} />
        <DataAccess account={account} clock={clock} />
        {isSwitchedOff(account, config) && (
          <p class="why">
            {accountName} {SWITCHED_OFF}
          </p>
        )}
        <dl>
          <Fact name="Platform">
            {platformName(platform)}
            {account.mode === "sandbox" && ", simulated by the sandbox"}
          </Fact>
          {handle && <Fact name="Handle">{handle}</Fact>}
          <Fact name="Connected">
            <Time at={account.connectedAt} clock={clock} />
          </Fact>
          <Fact name="Last published">
            {lastUsedAt ? <Time at={lastUsedAt} clock={clock} /> : "Not yet"}
          </Fact>
          {failureCount > 0 && <Fact name="Failed in a row">{failureCount}</Fact>}
          <Fact name={<abbr title="Identifier">ID</abbr>}>
            <code>{account.id}</code>
          </Fact>
        </dl>
        <MissingScopes
          platform={platform}
          missing={missingScopesOf(account)}
          inWords={scopesInWords(account)}
        />
        {refusedReconnect({ config }, account) === null && <ReconnectForm account={account} />}
      </Section>
      <TagsForm account={account} />
      <Section id="remove" title="Disconnect">
        <p>Posts that wait for this account will not go out. Published posts stay.</p>
        <p>
          <a class="button quiet" href={`/app/accounts/${account.id}/remove`}>
            Disconnect…
          </a>
        </p>
      </Section>
    </>,
  );
}

const MissingScopes = ({
  platform,
  missing,
  inWords,
}: {
  platform: AccountRow["platform"];
  missing: string[];
  inWords: ConsentScopes["inWords"];
}) =>
  missing.length > 0 && (
    <p class="why">
      {platformName(platform)} did not grant {describeScopes(missing, inWords)}. Posts go out; what
      needs more, such as analytics, does not work. Reconnect the account and leave every permission
      switched on.
    </p>
  );

const ReconnectForm = ({ account: { id, platform, status } }: { account: AccountRow }) => (
  <TeamForm class="row" action={`/app/accounts/${id}/reconnect`}>
    <button class={status === "active" ? "quiet" : ""} type="submit">
      Reconnect
    </button>
    <span class="hint">Leads to {platformName(platform)} and back. Posts and tags stay.</span>
  </TeamForm>
);

const TagsForm = ({ account: { id, tags } }: { account: AccountRow }) => (
  <Section id="tags-title" title="Tags">
    <TeamForm class="fields" action={`/app/accounts/${id}/tags`}>
      <InputField
        id="tags"
        label="Tags"
        hint="with commas between them, up to 500 characters in all"
        value={tags.split(",").join(", ")}
        autocomplete="off"
      />
      <SubmitLine>Save the tags</SubmitLine>
    </TeamForm>
  </Section>
);

accountPage.get("/app/accounts/:id/remove", signedIn("read:pages"), (c) =>
  showRemoval(c, { notice: null, status: 200 }),
);

accountPage.post("/app/accounts/:id/remove", signedIn("destructive"), async (c) => {
  const { disconnectAccount } = await import("./actions.ts");
  const refused = await attempt(() => disconnectAccount(c.var.ctx, c.req.param("id")));
  return refused ? showRemoval(c, refused) : c.redirect("/app/accounts?done=removed", 303);
});

function describeLoginEnd({ platform }: AccountRow, isShared: boolean): string {
  const name = platformName(platform);
  const connector = connectorOf(platform);
  if (isRevokedAtPlatform(connector, isShared)) {
    return `The login at ${name} is revoked and forgotten here.`;
  }
  const why = connector.revoke
    ? ` It is not revoked at ${name}: that could end the login of another connected account.`
    : "";
  return `The login is forgotten here.${why} To withdraw this app's access too, use ${name}'s own settings.`;
}

async function showRemoval(c: Context<PageEnv>, { notice, status }: Shown): Promise<Response> {
  const { ctx } = c.var;
  const key = c.req.param("id") ?? "";
  const [[account], others] = await ctx.read("accounts:read", [
    accountById(ctx.team, key),
    accountSharingLogin(ctx.team, key),
  ]);
  if (!account) throw notFound("Account");
  const { id, accountName } = account;
  return renderOwnPage(
    c,
    {
      title: `Disconnect ${accountName}`,
      here: "/app/accounts",
      status,
    },
    <>
      <h1>Disconnect {accountName}?</h1>
      <NoticeLine notice={notice} />
      <div class="card">
        <p>
          {describeLoginEnd(account, others.length > 0)} Posts that wait for this account fail.
          Published posts stay. The account can be connected again later.
        </p>
        <TeamForm class="row" action={`/app/accounts/${id}/remove`}>
          <Button tone="danger">Disconnect the account</Button>
          <a class="button quiet" href={`/app/accounts/${id}`}>
            Keep it
          </a>
        </TeamForm>
      </div>
    </>,
  );
}
