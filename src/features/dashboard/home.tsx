import { Hono } from "hono";
import { now } from "../../core/clock.ts";
import { DAY } from "../../core/time.ts";
import { type Clock, clockOf, Time } from "../../pages/times.tsx";
import { platformName } from "../../platforms/registry.ts";
import { isEnding, NOTICE_AHEAD_MS } from "../accounts/rules.ts";
import { isInstanceOwner } from "../auth/repo/people.ts";
import { type PageEnv, signedIn } from "../auth/signed-in.ts";
import { zoneOfTeam } from "../settings/repo.ts";
import { DataAccess } from "./accounts.tsx";
import { areAllDone, FirstSteps } from "./first-steps.tsx";
import { renderOwnPage, Section, State, UploadList } from "./parts.tsx";
import {
  accountsInNeed,
  beginnings,
  lastFailures,
  lastSentBack,
  platformsInTrouble,
  soonestUploads,
  type UploadLine,
} from "./repo.ts";
import { ACCOUNT_WORDS } from "./words.ts";

export const homePage = new Hono<PageEnv>();

const ENTRIES_PER_PART = 10;
const DAYS_AHEAD = 7;

homePage.get("/app", signedIn("read:pages"), async (c) => {
  const { ctx } = c.var;
  const { team } = ctx;
  const at = ctx.now().getTime();
  const limit = ENTRIES_PER_PART;
  const [zones, begun, pending, scheduled, failed, awaiting, sentBack, inNeed, trouble, owner] =
    await ctx.read("posts:read", [
      zoneOfTeam({ team }),
      beginnings({ team }),
      soonestUploads({ team, group: "pending", limit }),
      soonestUploads({ team, group: "scheduled", limit }),
      lastFailures({ team, limit }),
      soonestUploads({ team, group: "pending_approval", limit }),
      lastSentBack({ team, limit }),
      accountsInNeed({ team, endsBy: new Date(at + NOTICE_AHEAD_MS), limit }),
      platformsInTrouble({ team, since: new Date(at - DAY) }),
      isInstanceOwner({ user: ctx.user }),
    ]);
  const [[zone = null], [steps], [isOwner = false]] = [zones, begun, owner];
  const hasApps = Object.values(ctx.config.appKeys).some(({ clientId }) => clientId !== "");
  const clock = clockOf(zone);
  const until = new Date(at + DAYS_AHEAD * DAY);
  const due = [
    ...pending,
    ...scheduled.filter(({ scheduledFor }) => isBefore(scheduledFor, until)),
  ];
  return renderOwnPage(
    c,
    { title: "Home", here: "/app" },
    <>
      <div class="row head">
        <h1>Home</h1>
        <a class="button" href="/app/compose">
          Compose a post
        </a>
      </div>
      {steps && !areAllDone(steps) && (
        <FirstSteps steps={steps} hasSandbox={ctx.config.sandboxEnabled} />
      )}
      <Due uploads={due.slice(0, limit)} clock={clock} />
      <Awaiting uploads={awaiting} clock={clock} />
      {sentBack.length > 0 && (
        <Section id="sent-back" title="Changes were requested">
          <UploadList uploads={sentBack} clock={clock} />
        </Section>
      )}
      <Failed uploads={failed} clock={clock} />
      <Health accounts={inNeed} trouble={trouble} clock={clock} />
      {isOwner && !hasApps && <SetupHint />}
    </>,
  );
});

const isBefore = (at: Date | null, end: Date): boolean => at !== null && at < end;

const SetupHint = () => (
  <p>
    Bluesky, Mastodon, Telegram, Discord and the sandbox need nothing. For the real accounts of
    other platforms, the <a href="/app/setup">setup pages</a> lead you through it, step by step;
    only you, the owner of the instance, see them.
  </p>
);

interface ListProps {
  uploads: readonly UploadLine[];
  clock: Clock;
}

const Due = ({ uploads, clock }: ListProps) => (
  <Section id="due" title={`Goes out in the next ${DAYS_AHEAD} days`}>
    {uploads.length > 0 ? (
      <UploadList uploads={uploads} clock={clock} />
    ) : (
      <p class="muted">
        Nothing is planned for these days. <a href="/app/compose">Compose a post</a>, or look at the
        calendar.
      </p>
    )}
    <p>
      <a href="/app/calendar">Calendar</a> ·{" "}
      <a href="/app/uploads?status=scheduled">All scheduled posts</a>
    </p>
  </Section>
);

const Awaiting = ({ uploads, clock }: ListProps) => (
  <Section id="awaiting" title="Waits for approval">
    {uploads.length > 0 ? (
      <>
        <UploadList uploads={uploads} clock={clock} />
        <p>
          <a href="/app/uploads?status=pending_approval">All posts that wait for approval</a>
        </p>
      </>
    ) : (
      <p class="muted">No post waits for approval.</p>
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

interface HealthProps {
  accounts: ReturnType<ReturnType<typeof accountsInNeed>["read"]>;
  trouble: ReturnType<ReturnType<typeof platformsInTrouble>["read"]>;
  clock: Clock;
}

const ENDING = { text: "Login ends soon", tone: "wait" } as const;
const LOSING_ACCESS = { text: "To be connected again", tone: "wait" } as const;

const stateOf = (account: HealthProps["accounts"][number]) => {
  if (account.status !== "active") return ACCOUNT_WORDS[account.status];
  return isEnding(account, now()) ? ENDING : LOSING_ACCESS;
};

const Health = ({ accounts, trouble, clock }: HealthProps) => (
  <Section id="health" title="Accounts and platforms">
    {trouble.map(({ platform, posts }) => (
      <p>
        {platformName(platform)} did not publish {posts === 1 ? "one post" : `${posts} posts`} in
        the last 24 hours: it did not answer, or did not finish in time. The posts are under Failed.
      </p>
    ))}
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
    {accounts.length + trouble.length === 0 && (
      <p class="muted">No account has to be reconnected, and every platform answers.</p>
    )}
    <p>
      <a href="/app/accounts">All accounts</a>
    </p>
  </Section>
);
