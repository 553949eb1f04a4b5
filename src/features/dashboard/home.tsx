import { Hono } from "hono";
import { now } from "../../core/clock.ts";
import { type Clock, clockOf, Time } from "../../pages/times.tsx";
import { platformName } from "../../platforms/registry.ts";
import { isEnding, NOTICE_AHEAD_MS } from "../accounts/rules.ts";
import { isInstanceOwner } from "../auth/repo/people.ts";
import { type PageEnv, signedIn } from "../auth/signed-in.ts";
import { DataAccess } from "./accounts.tsx";
import { renderOwnPage, Section, State, UploadList } from "./parts.tsx";
import {
  accountsInNeed,
  hasAccounts,
  lastFailures,
  soonestUploads,
  type UploadLine,
  zoneOfTeam,
} from "./repo.ts";
import { ACCOUNT_WORDS } from "./words.ts";

export const homePage = new Hono<PageEnv>();

const ENTRIES_PER_PART = 10;

homePage.get("/app", signedIn("read:pages"), async (c) => {
  const { ctx } = c.var;
  const { team } = ctx;
  const endsBy = new Date(ctx.now().getTime() + NOTICE_AHEAD_MS);
  const [zones, connected, pending, scheduled, failed, awaiting, inNeed, owner] = await ctx.read(
    "posts:read",
    [
      zoneOfTeam({ team }),
      hasAccounts({ team }),
      soonestUploads({ team, group: "pending", limit: ENTRIES_PER_PART }),
      soonestUploads({ team, group: "scheduled", limit: ENTRIES_PER_PART }),
      lastFailures({ team, limit: ENTRIES_PER_PART }),
      soonestUploads({ team, group: "pending_approval", limit: ENTRIES_PER_PART }),
      accountsInNeed({ team, endsBy, limit: ENTRIES_PER_PART }),
      isInstanceOwner({ user: ctx.user }),
    ],
  );
  const [[zone = null], [isConnected = false], [isOwner = false]] = [zones, connected, owner];
  const hasApps = Object.values(ctx.config.appKeys).some(({ clientId }) => clientId !== "");
  const clock = clockOf(zone);
  const due = [...pending, ...scheduled].slice(0, ENTRIES_PER_PART);
  return renderOwnPage(
    c,
    { title: "Home", here: "/app" },
    <>
      <h1>Home</h1>
      {isOwner && !hasApps && <SetupHint />}
      <Due uploads={due} isConnected={isConnected} clock={clock} />
      <Failed uploads={failed} clock={clock} />
      <InNeed awaiting={awaiting} accounts={inNeed} clock={clock} />
    </>,
  );
});

const SetupHint = () => (
  <p>
    No platform with an app is set up on this instance yet. The <a href="/app/setup">setup pages</a>{" "}
    lead you through it, step by step; only you, the owner of the instance, see them.
  </p>
);

interface ListProps {
  uploads: readonly UploadLine[];
  clock: Clock;
}

const Due = ({ uploads, isConnected, clock }: ListProps & { isConnected: boolean }) => (
  <Section id="due" title="Due next">
    {uploads.length > 0 ? (
      <>
        <UploadList uploads={uploads} clock={clock} />
        <p>
          <a href="/app/uploads?status=scheduled">All scheduled posts</a>
        </p>
      </>
    ) : (
      <p class="muted">
        Nothing is planned.{" "}
        {isConnected ? (
          <>
            Create a post with <code>POST /upload</code>: see the <a href="/docs">API reference</a>.
          </>
        ) : (
          <>
            <a href="/app/accounts">Connect an account</a> first, then create a post.
          </>
        )}
      </p>
    )}
  </Section>
);

const Failed = ({ uploads, clock }: ListProps) => (
  <Section id="failed" title="Failed">
    {uploads.length > 0 ? (
      <>
        <UploadList uploads={uploads} clock={clock} />
        <p>
          <a href="/app/uploads?status=failed">All failed posts</a>
        </p>
      </>
    ) : (
      <p class="muted">No post has failed. There is nothing to do here.</p>
    )}
  </Section>
);

interface InNeedProps {
  awaiting: readonly UploadLine[];
  accounts: ReturnType<ReturnType<typeof accountsInNeed>["read"]>;
  clock: Clock;
}

const ENDING = { text: "Login ends soon", tone: "wait" } as const;
const LOSING_ACCESS = { text: "To be connected again", tone: "wait" } as const;

const stateOf = (account: InNeedProps["accounts"][number]) => {
  if (account.status !== "active") return ACCOUNT_WORDS[account.status];
  return isEnding(account, now()) ? ENDING : LOSING_ACCESS;
};

const InNeed = ({ awaiting, accounts, clock }: InNeedProps) => (
  <Section id="people" title="Needs a person">
    {awaiting.length > 0 && (
      <>
        <h3>Posts that wait for approval</h3>
        <UploadList uploads={awaiting} clock={clock} />
        <p>
          <a href="/app/uploads?status=pending_approval">All posts that wait for approval</a>
        </p>
      </>
    )}
    {accounts.length > 0 && (
      <>
        <h3>Accounts to reconnect</h3>
        <ul class="list">
          {accounts.map((account) => (
            <li>
              <div class="grow">
                <a href={`/app/accounts/${account.id}`}>{account.accountName}</a>
                <p class="muted">{platformName(account.platform)}</p>
                {isEnding(account, now()) && account.loginEndsAt && (
                  <p class="why">
                    The login ends on <Time at={account.loginEndsAt} clock={clock} />.
                  </p>
                )}
                <DataAccess account={account} clock={clock} />
              </div>
              <State {...stateOf(account)} />
            </li>
          ))}
        </ul>
      </>
    )}
    {awaiting.length + accounts.length === 0 && (
      <p class="muted">Nothing waits for you: no approval, and every account is connected.</p>
    )}
  </Section>
);
