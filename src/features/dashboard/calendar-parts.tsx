import type { Child } from "hono/jsx";
import type { LocalDay, ZoneClock } from "../../core/zone.ts";
import { TeamForm } from "../../pages/team-form.tsx";
import { platformName } from "../../platforms/registry.ts";
import { FIRSTS_PER_DAY, isMovable } from "../calendar/rules.ts";
import type { Calendar, Entry } from "../calendar/service.ts";
import type { thumbnailsOf } from "../calendar/thumbnails.ts";
import { addressOf, type CalendarView, dayName, viewOf } from "./calendar-view.ts";
import { Button } from "./form-parts.tsx";
import { wordsOfUpload } from "./words.ts";

type PostEntry = Extract<Entry, { kind: "post" }>;
type FiringEntry = Extract<Entry, { kind: "firing" }>;

/** A move that was refused, with what was sent. */
export interface RefusedMove {
  id: number;
  text: string;
  date: string;
  time: string;
}

export interface Scene {
  view: CalendarView;
  clock: ZoneClock;
  today: LocalDay;
  /** Epoch ms. */
  now: number;
  names: ReadonlyMap<string, string>;
  pictureOf: Awaited<ReturnType<typeof thumbnailsOf>>;
  refused: RefusedMove | null;
}

/** Keeps a page small; the page of a day has the others. */
const SHOWN: Record<CalendarView["period"], number> = { month: FIRSTS_PER_DAY, week: 40, day: 150 };

export const shownOf = (view: CalendarView, entries: readonly Entry[]): readonly Entry[] =>
  entries.slice(0, SHOWN[view.period]);

const SIGNS: Record<string, string> = {
  Draft: "✎",
  "Waits for approval": "?",
  Scheduled: "◷",
  "In the queue": "…",
  "Being published": "…",
  Published: "✓",
  Failed: "!",
  Cancelled: "✕",
  "Taken down": "↓",
};

const Move = ({ entry, wall, scene }: { entry: PostEntry; wall: string; scene: Scene }) => {
  const { id } = entry.post;
  const refused = scene.refused?.id === id ? scene.refused : null;
  const [date, time] = refused ? [refused.date, refused.time] : wall.split("T");
  const invalid = refused
    ? { "aria-invalid": "true" as const, "aria-describedby": `refusal-${id}` }
    : {};
  return (
    <details open={refused !== null}>
      <summary>Move to…</summary>
      <TeamForm action={addressOf(scene.view, `/${id}/move`)}>
        <label>
          Day <input type="date" name="date" value={date} required {...invalid} />
        </label>
        <label>
          Time <input type="time" name="time" value={time} required {...invalid} />
        </label>
        <Button>Move</Button>
      </TeamForm>
    </details>
  );
};

const Post = ({ entry, scene }: { entry: PostEntry; scene: Scene }) => {
  const { post, at } = entry;
  const { id, accountId, status, platform } = post;
  const wall = scene.clock.wallTimeAt(at);
  const words = wordsOfUpload(post);
  const name = scene.names.get(accountId) ?? "A removed account";
  const picture = scene.pictureOf(post);
  const canMove = isMovable(status);
  const refused = scene.refused?.id === id ? scene.refused : null;
  return (
    <li
      class={`entry ${words.tone} ${status === "draft" ? "draft" : ""}`.trim()}
      id={`post-${id}`}
      data-id={canMove ? id : undefined}
      data-wall={canMove ? wall : undefined}
    >
      <a
        class="open"
        href={`/app/uploads/${id}`}
        aria-describedby={refused ? `refusal-${id}` : undefined}
      >
        {picture ? (
          <img src={picture} alt="" loading="lazy" />
        ) : (
          <span class="letter" aria-hidden="true">
            {[...name][0]?.toUpperCase()}
          </span>
        )}
        <span class="what">
          <span class="time">{wall.slice(11)}</span> {name}{" "}
          <span class="platform">{platformName(platform)}</span>
        </span>
        <span class="sign" aria-hidden="true">
          {SIGNS[words.text]}
        </span>
        <span class="words">
          {post.text || "Without text"}
          {post.posts > 1 && ` (thread of ${post.posts})`}
        </span>
        <span class={`state ${words.tone}`.trim()}>{words.text}</span>
      </a>
      {refused && (
        <p class="refusal" id={`refusal-${id}`}>
          {refused.text}
        </p>
      )}
      {canMove && <Move entry={entry} wall={wall} scene={scene} />}
    </li>
  );
};

const Firing = ({ entry, scene }: { entry: FiringEntry; scene: Scene }) => {
  const { pool, accountIds, item, at } = entry.firing;
  const names = accountIds.map((id) => scene.names.get(id) ?? "a removed account");
  return (
    <li class="entry firing">
      <p class="what">
        <span class="time">{scene.clock.wallTimeAt(at).slice(11)}</span> Pool {pool.name}
      </p>
      <p class="words">{item ? item.title : "No item is known for it"}</p>
      <p class="platform words">{names.join(", ")}</p>
    </li>
  );
};

/** In the future, so that the composer takes it. */
function composeTime(day: LocalDay, { clock, now, today }: Scene): string | null {
  if (day < today) return null;
  if (day > today) return `${day}T10:00`;
  const soon = clock.wallTimeAt(now + 3_600_000);
  return soon.startsWith(day) ? `${soon.slice(0, 13)}:00` : null;
}

function countOf(entries: readonly Entry[]): number {
  const posts = entries.filter(({ kind }) => kind === "post") as PostEntry[];
  return entries.length - posts.length + (posts[0]?.post.ofDay ?? posts.length);
}

export const Day = (props: { day: LocalDay; entries: readonly Entry[]; scene: Scene }) => {
  const { day, entries, scene } = props;
  const { view, today } = scene;
  const isOther = view.period === "month" && day.slice(0, 7) !== view.start.slice(0, 7);
  const classes = [
    "day",
    ...(isOther ? ["other"] : []),
    ...(day === today ? ["today"] : []),
    ...(entries.length === 0 ? ["empty"] : []),
  ];
  const at = composeTime(day, scene);
  const shown = shownOf(view, entries);
  const left = countOf(entries) - shown.length;
  return (
    <li class={classes.join(" ")} data-day={day}>
      <div class="date">
        <h3>
          <time datetime={day}>
            <span class="short" aria-hidden="true">
              {Number(day.slice(8))}
            </span>
            <span class="long">{dayName(day)}</span>
          </time>
        </h3>
        {day === today && <span class="today-word">Today</span>}
        {at && (
          <a class="add" href={`/app/compose?at=${at}`} aria-label={`New post on ${dayName(day)}`}>
            +
          </a>
        )}
      </div>
      <ol class="entries" aria-label={`Entries of ${dayName(day)}`}>
        {shown.map((entry) =>
          entry.kind === "post" ? (
            <Post entry={entry} scene={scene} />
          ) : (
            <Firing entry={entry} scene={scene} />
          ),
        )}
      </ol>
      {left > 0 && <More day={day} left={left} view={view} />}
    </li>
  );
};

const More = ({ day, left, view }: { day: LocalDay; left: number; view: CalendarView }) =>
  view.period === "day" ? (
    <p>
      {left} more are not shown. Use the filters, or the{" "}
      <a href={`/app/uploads?from=${day}&to=${day}`}>list of posts</a>.
    </p>
  ) : (
    <a class="more" href={addressOf(viewOf("day", day, view.fields))}>
      {left} more<span class="hidden"> on {dayName(day)}</span>
    </a>
  );

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

export const Weekdays = () => (
  <div class="weekdays" aria-hidden="true">
    {WEEKDAYS.map((name) => (
      <span>{name}</span>
    ))}
  </div>
);

export const Narrow = ({ calendar, view }: { calendar: Calendar; view: CalendarView }) => {
  const links: Child[] = calendar.narrow.flatMap((day, i) => [
    i > 0 ? ", " : "",
    <a href={addressOf(viewOf("day", day, view.fields))}>{dayName(day)}</a>,
  ]);
  return links.length === 0 ? null : (
    <p class="notice">
      There are more entries than a calendar shows. Use the filters, or open the days that are not
      whole: {links}.
    </p>
  );
};
