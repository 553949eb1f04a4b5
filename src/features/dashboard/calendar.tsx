import { type Context, Hono } from "hono";
import { AppError } from "../../core/errors.ts";
import { UPLOAD_STATUSES } from "../../core/upload-status.ts";
import { addDays, type LocalDay, ZoneClock } from "../../core/zone.ts";
import { publicOrigin } from "../../http/env.ts";
import { readNumericId } from "../../http/ids.ts";
import { readForm, textField } from "../../http/pages.tsx";
import { islandPath } from "../../pages/app-layout.tsx";
import { TeamForm } from "../../pages/team-form.tsx";
import { type Clock, clockOf, Time } from "../../pages/times.tsx";
import { PLATFORM_NAMES, platformName } from "../../platforms/registry.ts";
import { type PageEnv, signedIn } from "../auth/signed-in.ts";
import { createFeed, endFeed, feedsOfTeam, mayEnd } from "../calendar/feeds.ts";
import { readDay } from "../calendar/rules.ts";
import {
  type Calendar,
  calendarReads,
  type Entry,
  postsOf,
  toCalendar,
} from "../calendar/service.ts";
import { thumbnailsOf } from "../calendar/thumbnails.ts";
import { HELD_MESSAGE } from "../posts/rules.ts";
import { zoneOfTeam } from "../settings/repo.ts";
import { Day, Narrow, type RefusedMove, type Scene, shownOf, Weekdays } from "./calendar-parts.tsx";
import { CALENDAR_STYLES } from "./calendar-styles.ts";
import {
  addressOf,
  type CalendarView,
  filterOf,
  nameOf,
  neighbours,
  readView,
  viewOf,
} from "./calendar-view.ts";
import { Button, Choice } from "./form-parts.tsx";
import { formCall } from "./once.ts";
import { doneNotice, type Notice, NoticeLine, renderOwnPage, Section } from "./parts.tsx";
import { attempt } from "./refusals.ts";
import { STATUS_WORDS } from "./words.ts";

export const calendarPage = new Hono<PageEnv>();

const DONE_MESSAGES: Record<string, string> = {
  moved: "The post has been moved.",
  held: `The post has been moved. ${HELD_MESSAGE}`,
  revoked: "The address is revoked. Calendars that have it get nothing more.",
};

interface Shown {
  notice?: Notice | null;
  status?: number;
  refused?: RefusedMove | null;
  /** Address of a new feed. */
  created?: string;
}

calendarPage.get("/app/calendar", signedIn("read:pages"), (c) =>
  showCalendar(c, { notice: doneNotice(DONE_MESSAGES, c.req.query("done")) }),
);

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

calendarPage.post("/app/calendar/:id/move", signedIn("write"), async (c) => {
  const { ctx } = c.var;
  const id = readNumericId(c.req.param("id"), "Upload");
  const form = await readForm(c);
  const [date, time] = [textField(form, "date"), textField(form, "time").slice(0, 5)];
  const { editUpload } = await import("./actions.ts");
  let done = "moved";
  const refused = await attempt(async () => {
    const day = readDay(date);
    if (!day || !TIME.test(time)) {
      throw new AppError(null, "Write the day as 2026-11-24 and the time as 10:00.");
    }
    const [[zone = null]] = await ctx.read("posts:write", [zoneOfTeam({ team: ctx.team })]);
    const { at } = new ZoneClock(zone ?? "UTC").instantOf(day, time);
    const { status } = await editUpload(ctx, id, { scheduledFor: new Date(at) });
    if (status === "pending_approval") done = "held";
  });
  if (refused) {
    const text = (refused.notice?.text ?? "").replace(/^scheduledFor:/, "The time");
    return showCalendar(c, { ...refused, refused: { id, text, date, time } });
  }
  const { view } = readView(c.req.query(), todayIn(ctx, "UTC"));
  return c.redirect(`${addressOf(view)}&done=${done}#post-${id}`, 303);
});

calendarPage.post("/app/calendar/feeds", signedIn("write"), async (c) => {
  const { ctx } = c.var;
  let created = "";
  const refused = await attempt(async () => {
    created = publicOrigin(ctx, c.req.url) + (await createFeed(ctx, formCall(c))).path;
  });
  return showCalendar(c, refused ?? { created });
});

calendarPage.post("/app/calendar/feeds/:id/revoke", signedIn("destructive"), async (c) => {
  const id = readNumericId(c.req.param("id"), "Feed");
  const refused = await attempt(() => endFeed(c.var.ctx, id));
  return refused ? showCalendar(c, refused) : c.redirect("/app/calendar?done=revoked", 303);
});

const todayIn = ({ now }: { now(): Date }, zone: string): LocalDay =>
  new ZoneClock(zone).dayAt(now().getTime());

async function showCalendar(c: Context<PageEnv>, shown: Shown): Promise<Response> {
  const { ctx } = c.var;
  const guess = readView(c.req.query(), todayIn(ctx, "UTC"));
  const isMonth = guess.view.period === "month";
  const [feeds, ...answers] = await ctx.read("posts:read", [
    feedsOfTeam({ team: ctx.team }),
    ...calendarReads(ctx.team, filterOf(guess.view), ctx.now(), isMonth),
  ]);
  const [[zone = null]] = answers;
  const today = todayIn(ctx, zone ?? "UTC");
  const { view, mistakes } = readView(c.req.query(), today);
  // Near midnight, the workspace may be in another month than UTC: then that month is read too.
  const isOther = view.start !== guess.view.start;
  const calendar = await toCalendar(
    ctx,
    filterOf(view),
    isOther
      ? await ctx.read("posts:read", calendarReads(ctx.team, filterOf(view), ctx.now(), isMonth))
      : answers,
  );
  const days = entriesByDay(view, calendar);
  const drawn = [...days.values()].flatMap((entries) => shownOf(view, entries));
  const scene: Scene = {
    view,
    clock: calendar.clock,
    today,
    now: ctx.now().getTime(),
    names: calendar.names,
    pictureOf: await thumbnailsOf(ctx, "", postsOf(drawn)),
    refused: shown.refused ?? null,
  };
  const clock = clockOf(zone);
  const mistake = mistakes.length > 0 ? { text: mistakes.join(" "), isRefusal: true } : null;
  return renderOwnPage(
    c,
    {
      title: nameOf(view),
      here: "/app/calendar",
      styles: CALENDAR_STYLES,
      scripts: [islandPath("calendar")],
      ...(shown.status ? { status: shown.status } : {}),
    },
    <>
      <h1>Calendar</h1>
      <NoticeLine notice={shown.notice ?? mistake} />
      {shown.created && <NewFeed address={shown.created} />}
      <Bar view={view} today={today} />
      <Filters view={view} calendar={calendar} />
      <Narrow calendar={calendar} view={view} />
      <p class="muted">
        Times are in {calendar.clock.zone}, the <a href="/app/settings">workspace's zone</a>.
        <span data-own-zone></span> <a href="/docs/calendar">How the calendar works</a>.
      </p>
      <dl hidden data-keys>
        <dt>j, k</dt>
        <dd>The next period, and the one before</dd>
        <dt>← ↑ ↓ →</dt>
        <dd>From entry to entry and from day to day</dd>
        <dt>Enter</dt>
        <dd>Open the entry</dd>
        <dt>m</dt>
        <dd>Move the entry to another day or time</dd>
        <dt>Escape</dt>
        <dd>Leave the move</dd>
      </dl>
      <p class="hidden" role="status" data-told></p>
      <div
        class={`card calendar ${view.period === "month" ? "month" : "agenda"}`}
        data-calendar={view.period}
        data-zone={calendar.clock.zone}
      >
        <Weekdays />
        <ol class="days">
          {[...days].map(([day, entries]) => (
            <Day day={day} entries={entries} scene={scene} />
          ))}
        </ol>
      </div>
      {calendar.entries.length === 0 && (
        <p class="muted">
          Nothing is planned or published here. <a href="/app/compose">Write a post</a>, or choose
          another {view.period}.
        </p>
      )}
      <Feeds feeds={feeds} clock={clock} canEnd={(feed) => mayEnd(ctx, feed)} view={view} />
    </>,
  );
}

/** Entries are sorted, so that only the beginnings of days are converted between zones. */
function entriesByDay(view: CalendarView, { clock, entries }: Calendar): Map<LocalDay, Entry[]> {
  let from = 0;
  return new Map(
    daysOf(view).map((day) => {
      const end = clock.instantOf(addDays(day, 1), "00:00").at;
      let until = from;
      while (until < entries.length && (entries[until] as Entry).at < end) until++;
      const own = entries.slice(from, until);
      from = until;
      return [day, own];
    }),
  );
}

function daysOf({ from, to }: CalendarView): LocalDay[] {
  const days: LocalDay[] = [];
  for (let day = from; day < to; day = addDays(day, 1)) days.push(day);
  return days;
}

const Bar = ({ view, today }: { view: CalendarView; today: LocalDay }) => {
  const { before, after } = neighbours(view);
  const isNow = today >= view.start && today < view.to;
  const switched = (period: CalendarView["period"]) =>
    viewOf(period, isNow ? today : view.start, view.fields);
  return (
    <div class="bar">
      <h2>{nameOf(view)}</h2>
      <nav aria-label="Dates">
        <a class="button quiet" rel="prev" href={addressOf(before)}>
          Previous<span class="hidden"> {view.period}</span>
        </a>
        <a class="button quiet" href={addressOf(viewOf(view.period, today, view.fields))}>
          Today
        </a>
        <a class="button quiet" rel="next" href={addressOf(after)}>
          Next<span class="hidden"> {view.period}</span>
        </a>
      </nav>
      <nav aria-label="Views">
        {(["month", "week", "day"] as const).map((period) => (
          <a
            class="button quiet"
            href={addressOf(switched(period))}
            aria-current={period === view.period ? "true" : undefined}
          >
            {period[0]?.toUpperCase() + period.slice(1)}
          </a>
        ))}
      </nav>
    </div>
  );
};

const tagsOf = ({ accounts }: Calendar): string[] =>
  [...new Set(accounts.flatMap(({ tags }) => tags.split(",").map((tag) => tag.trim())))]
    .filter(Boolean)
    .sort();

const Filters = ({ view, calendar }: { view: CalendarView; calendar: Calendar }) => {
  const { period, start, fields } = view;
  const platforms = new Set<string>(calendar.accounts.map(({ platform }) => platform));
  const isFiltered = Object.values(fields).some((value) => value !== "");
  return (
    <form class="card filters" method="get" action="/app/calendar" aria-label="Filter">
      <input type="hidden" name={period} value={period === "month" ? start.slice(0, 7) : start} />
      <Choice
        name="account"
        label="Account"
        chosen={fields.account}
        options={[
          ["", "All"],
          ...calendar.accounts.map(
            ({ id, accountName, platform }) =>
              [id, `${accountName} on ${platformName(platform)}`] as const,
          ),
        ]}
      />
      <Choice
        name="platform"
        label="Platform"
        chosen={fields.platform}
        options={[["", "All"], ...[...PLATFORM_NAMES].filter(([name]) => platforms.has(name))]}
      />
      <Choice
        name="tag"
        label="Tag"
        chosen={fields.tag}
        options={[["", "All"], ...tagsOf(calendar).map((tag) => [tag, tag] as const)]}
      />
      <Choice
        name="status"
        label="State"
        chosen={fields.status}
        options={[
          ["", "All, and pools"],
          ...UPLOAD_STATUSES.map((one) => [one, STATUS_WORDS[one].text] as const),
        ]}
      />
      <p class="row">
        <button type="submit">Show</button>
        {isFiltered && (
          <a
            class="button quiet"
            href={addressOf({
              ...view,
              fields: { account: "", platform: "", tag: "", status: "" },
            })}
          >
            Show all
          </a>
        )}
      </p>
    </form>
  );
};

const NewFeed = ({ address }: { address: string }) => (
  <section class="notice" role="status" aria-labelledby="created">
    <h2 id="created">Your calendar's address</h2>
    <p>
      Copy it now: it is shown this once. In Google Calendar, add it under “Other calendars, From
      URL”; in Apple Calendar, under “New Calendar Subscription”. Everybody who has it can read it.
    </p>
    <pre>{address}</pre>
  </section>
);

type FeedRow = ReturnType<ReturnType<typeof feedsOfTeam>["read"]>[number];

const Feeds = (props: {
  feeds: readonly FeedRow[];
  clock: Clock;
  canEnd: (feed: FeedRow) => boolean;
  view: CalendarView;
}) => (
  <Section id="feeds" title="In your own calendar">
    <p class="muted">
      A secret address shows scheduled and published posts in Google, Apple and other calendars. It
      ends when you revoke it, or leave the team.
    </p>
    {props.feeds.length > 0 && (
      <ul class="list">
        {props.feeds.map((feed) => (
          <li>
            <span class="grow">
              Address {feed.id}, made on <Time at={feed.createdAt} clock={props.clock} />
            </span>
            {props.canEnd(feed) && (
              <TeamForm action={`/app/calendar/feeds/${feed.id}/revoke`}>
                <Button tone="danger" label={`Revoke address ${feed.id}`}>
                  Revoke
                </Button>
              </TeamForm>
            )}
          </li>
        ))}
      </ul>
    )}
    <TeamForm action={addressOf(props.view, "/feeds")} makes>
      <Button tone="quiet">Make an address</Button>
    </TeamForm>
  </Section>
);
