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
import {
  type CalendarFilter,
  daysOf,
  type Firsts,
  hasTag,
  MAX_ENTRIES,
  rangeIn,
  rememberZone,
  widestRange,
} from "./rules.ts";

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

/** @param firsts For the first posts of each day alone, with their number */
export const calendarReads = (
  team: SQL,
  filter: CalendarFilter,
  now: Date,
  firsts: Firsts | null = null,
) =>
  [
    zoneOfTeam({ team }),
    accountsOfTeam({ team }),
    firsts
      ? firstsBetween(team, filter, widestRange(filter), firsts)
      : postsBetween(team, filter, widestRange(filter)),
    ...comingReads(team, now),
  ] as const;

export async function readCalendar(ctx: Ctx, filter: CalendarFilter): Promise<Calendar> {
  const answers = await ctx.read("posts:read", calendarReads(ctx.team, filter, ctx.now()));
  return toCalendar(ctx, filter, answers);
}

/** Takes the answers of `calendarReads`. A second call of the database follows where those are not all that is shown. */
export async function toCalendar(
  ctx: Ctx,
  filter: CalendarFilter,
  answers: Results<ReturnType<typeof calendarReads>>,
  firsts: Firsts | null = null,
): Promise<Calendar> {
  const [[storedZone = null], everyAccount, near, ...pools] = answers;
  const accounts = everyAccount.filter(({ isRemoved }) => !isRemoved);
  const zone = storedZone ?? "UTC";
  rememberZone(zone);
  const clock = new ZoneClock(zone);
  const range = rangeIn(clock, filter);
  const [posts] =
    near.length > MAX_ENTRIES || (firsts && !areFirsts(near, zone, firsts))
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

/** Not in a zone that was unknown when they were read, and not where more match than are read. */
const areFirsts = (posts: readonly PlacedPost[], zone: string, { zones }: Firsts): boolean =>
  zones.includes(zone) && (posts[0]?.post.ofRange ?? 0) <= MAX_ENTRIES;

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
