import type { SQL } from "drizzle-orm";
import { coversScope } from "../../core/scopes.ts";
import { type LocalDay, ZoneClock } from "../../core/zone.ts";
import type { Results } from "../../db/client.ts";
import type { Ctx } from "../../deps.ts";
import { type ComingOfPool, comingOfPools, comingReads } from "../pools/coming.ts";
import { zoneOfTeam } from "../settings/repo.ts";
import {
  accountsOfTeam,
  type CalendarAccount,
  type CalendarPost,
  firstsBetween,
  namesOf,
  type PlacedPost,
  postsBetween,
} from "./repo/posts.ts";
import { type CalendarFilter, daysOf, hasTag, MAX_ENTRIES, rangeIn, widestRange } from "./rules.ts";
import { latestZones, rememberZone } from "./zones.ts";

/** `at` is in epoch ms. */
export type Entry = PlacedPost | { kind: "firing"; at: number; firing: ComingOfPool };

export const postsOf = (entries: readonly Entry[]): CalendarPost[] =>
  entries.flatMap((entry) => (entry.kind === "post" ? [entry.post] : []));

export interface Calendar {
  clock: ZoneClock;
  accounts: CalendarAccount[];
  /** By account, of removed ones too. */
  names: ReadonlyMap<string, string>;
  /** Oldest first. */
  entries: Entry[];
  /** Days whose entries are not all here, because there are too many. */
  narrow: LocalDay[];
}

/** @param isMonth reads the first posts of each day and counts the others, which is all that the page of a month shows */
export const calendarReads = (team: SQL, filter: CalendarFilter, now: Date, isMonth = false) =>
  [
    zoneOfTeam({ team }),
    accountsOfTeam({ team }),
    isMonth
      ? firstsBetween(team, filter, widestRange(filter), latestZones())
      : postsBetween(team, filter, widestRange(filter)),
    ...comingReads(team, now),
  ] as const;

export async function readCalendar(ctx: Ctx, filter: CalendarFilter): Promise<Calendar> {
  const answers = await ctx.read("posts:read", calendarReads(ctx.team, filter, ctx.now()));
  return toCalendar(ctx, filter, answers);
}

const byPlatformAndName = (one: CalendarAccount, other: CalendarAccount): number =>
  one.platform.localeCompare(other.platform) || one.accountName.localeCompare(other.accountName);

/** Takes the answers of `calendarReads`. A second call of the database follows where more posts match than are shown. */
export async function toCalendar(
  ctx: Ctx,
  filter: CalendarFilter,
  answers: Results<ReturnType<typeof calendarReads>>,
): Promise<Calendar> {
  const [[storedZone = null], everyAccount, near, ...pools] = answers;
  const accounts = everyAccount.filter(({ isRemoved }) => !isRemoved).sort(byPlatformAndName);
  const zone = storedZone ?? "UTC";
  rememberZone(zone);
  const clock = new ZoneClock(zone);
  const range = rangeIn(clock, filter);
  const [posts] =
    countOf(near) > MAX_ENTRIES
      ? await ctx.db.run([postsBetween(ctx.team, filter, range)])
      : ([near] as const);
  const lastPost = posts.length > MAX_ENTRIES ? posts.at(-1) : undefined;
  const coming = comingOf(ctx, filter, { accounts, pools, range });
  const completeUntil = Math.min(lastPost?.post.sortedAt ?? range.until, coming.completeUntil);
  const entries: Entry[] = [
    ...posts,
    ...coming.firings.map((firing) => ({ kind: "firing" as const, at: firing.at, firing })),
  ]
    .filter(({ at }) => at >= range.from && at < range.until && at <= completeUntil)
    .sort((one, other) => one.at - other.at);
  const from = Math.min(completeUntil, entries[MAX_ENTRIES]?.at ?? range.until);
  return {
    clock,
    accounts,
    names: namesOf(everyAccount),
    entries: entries.slice(0, MAX_ENTRIES),
    narrow: from < range.until ? daysOf(clock, { from, until: range.until }) : [],
  };
}

const countOf = (posts: readonly PlacedPost[]): number =>
  posts.reduce(
    (sum, { post: { inDay, ofDay } }) => sum + (ofDay ? (inDay === 0 ? ofDay : 0) : 1),
    0,
  );

interface Found {
  accounts: CalendarAccount[];
  pools: Results<ReturnType<typeof comingReads>>;
  range: { from: number; until: number };
}

/** None in the past, none with a status, and none for a token that may not read pools. */
function comingOf(
  { actor, now: readClock }: Ctx,
  { accountId, platform, tag, status }: CalendarFilter,
  { accounts, pools, range }: Found,
): ReturnType<typeof comingOfPools> {
  const now = readClock().getTime();
  const isLeftOut =
    status !== undefined || range.until <= now || !coversScope(actor.scopes, "pools:read");
  if (isLeftOut) return { firings: [], completeUntil: range.until };
  const shown = new Set(
    accounts
      .filter(
        (account) =>
          (accountId === undefined || account.id === accountId) &&
          (platform === undefined || account.platform === platform) &&
          (tag === undefined || hasTag(account.tags, tag)),
      )
      .map(({ id }) => id),
  );
  const { firings, completeUntil } = comingOfPools(pools, accounts, {
    now,
    ...range,
    max: MAX_ENTRIES,
  });
  return {
    firings: firings.filter(({ accountIds }) => accountIds.some((id) => shown.has(id))),
    completeUntil,
  };
}
