import { type Context, Hono } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { invalidFields, notFound, toFieldErrors } from "../../core/errors.ts";
import { readForm, textField } from "../../http/pages.tsx";
import { renderAppPage } from "../../pages/app-layout.tsx";
import { accountById, lastUseOf } from "../accounts/repo.ts";
import { isSwitchedOff, SWITCHED_OFF } from "../accounts/rules.ts";
import type { AccountRow } from "../accounts/table.ts";
import { type PageEnv, signedIn, viewerOf } from "../auth/signed-in.ts";
import { Login } from "./accounts.tsx";
import { doneNotice, type Notice, NoticeLine, Section, State } from "./parts.tsx";
import { attempt } from "./refusals.ts";
import { zoneOfTeam } from "./repo.ts";
import { clockOf, Time } from "./times.tsx";
import { ACCOUNT_WORDS, platformName } from "./words.ts";

export const accountPage = new Hono<PageEnv>();

/** Notices by the name under which a form's answer leads back to this page. */
const DONE: Record<string, string> = { tagged: "The tags are saved." };

accountPage.get("/app/accounts/:id", signedIn("read:pages"), (c) => {
  return showAccount(c, { notice: doneNotice(DONE, c.req.query("done")), status: 200 });
});

accountPage.post("/app/accounts/:id/tags", signedIn("write"), async (c) => {
  const id = c.req.param("id");
  const form = await readForm(c);
  const { accountTagsSchema, setAccountTags } = await import("./actions.ts");
  const wanted = accountTagsSchema.safeParse({ tags: textField(form, "tags") });
  const refused = await attempt(async () => {
    if (!wanted.success) throw invalidFields(toFieldErrors(wanted.error));
    await setAccountTags(c.var.ctx, id, wanted.data.tags);
  });
  if (refused) return showAccount(c, refused);
  return c.redirect(`/app/accounts/${encodeURIComponent(id)}?done=tagged`, 303);
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

async function showAccount(
  c: Context<PageEnv>,
  { notice, status }: { notice: Notice | null; status: number },
): Promise<Response> {
  const { account, lastUsedAt, clock } = await readAccount(c);
  const { accountName, platform, handle, failureCount } = account;
  return renderAppPage(
    c,
    viewerOf(c),
    { title: accountName, here: "/app/accounts", status: status as ContentfulStatusCode },
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
        {isSwitchedOff(account, c.var.ctx.config) && (
          <p class="why">
            {accountName} {SWITCHED_OFF}
          </p>
        )}
        <dl>
          <dt>Platform</dt>
          <dd>
            {platformName(platform)}
            {account.mode === "sandbox" && ", simulated by the sandbox"}
          </dd>
          {handle && (
            <>
              <dt>Handle</dt>
              <dd>{handle}</dd>
            </>
          )}
          <dt>Connected</dt>
          <dd>
            <Time at={account.connectedAt} clock={clock} />
          </dd>
          <dt>Last published</dt>
          <dd>{lastUsedAt ? <Time at={lastUsedAt} clock={clock} /> : "Not yet"}</dd>
          {failureCount > 0 && (
            <>
              <dt>Failed in a row</dt>
              <dd>{failureCount}</dd>
            </>
          )}
          <dt>
            <abbr title="Identifier">ID</abbr>
          </dt>
          <dd>
            <code>{account.id}</code>
          </dd>
        </dl>
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

const TagsForm = ({ account: { id, tags } }: { account: AccountRow }) => (
  <Section id="tags-title" title="Tags">
    <form class="fields" method="post" action={`/app/accounts/${id}/tags`}>
      <div>
        <label for="tags">
          Tags <span class="hint">(with commas between them, up to 500 characters in all)</span>
        </label>
        <input id="tags" name="tags" value={tags.split(",").join(", ")} autocomplete="off" />
      </div>
      <p>
        <button type="submit">Save the tags</button>
      </p>
    </form>
  </Section>
);

accountPage.get("/app/accounts/:id/remove", signedIn("read:pages"), (c) =>
  showRemoval(c, { notice: null, status: 200 }),
);

accountPage.post("/app/accounts/:id/remove", signedIn("destructive"), async (c) => {
  const { failWaiting, removeAccount } = await import("./actions.ts");
  const refused = await attempt(() => removeAccount(c.var.ctx, c.req.param("id"), [failWaiting]));
  return refused ? showRemoval(c, refused) : c.redirect("/app/accounts?done=removed", 303);
});

/** The page that asks once more. */
async function showRemoval(
  c: Context<PageEnv>,
  { notice, status }: { notice: Notice | null; status: number },
): Promise<Response> {
  const { account } = await readAccount(c);
  const { id, accountName, platform } = account;
  return renderAppPage(
    c,
    viewerOf(c),
    {
      title: `Disconnect ${accountName}`,
      here: "/app/accounts",
      status: status as ContentfulStatusCode,
    },
    <>
      <h1>Disconnect {accountName}?</h1>
      <NoticeLine notice={notice} />
      <div class="card">
        <p>
          The login at {platformName(platform)} is revoked and forgotten here. Posts that wait for
          this account fail. Published posts stay. The account can be connected again later.
        </p>
        <form class="row" method="post" action={`/app/accounts/${id}/remove`}>
          <button class="danger" type="submit">
            Disconnect the account
          </button>
          <a class="button quiet" href={`/app/accounts/${id}`}>
            Keep it
          </a>
        </form>
      </div>
    </>,
  );
}
