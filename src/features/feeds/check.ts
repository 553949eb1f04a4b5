import { AppError } from "../../core/errors.ts";
import { DAY, SECOND } from "../../core/time.ts";
import { type Actor, type Ctx, contextFor, type Deps } from "../../deps.ts";
import { wakeFeeds } from "../../queue/wake.ts";
import { knownId } from "../auth/repo/people.ts";
import { createSeries, type SeriesResult } from "../compose/changes.ts";
import { mediaAt } from "../compose/media.ts";
import { EMPTY_POST, type NewPost } from "../compose/new-post.ts";
import { type FetchedFeed, fetchFeed, MAX_REDIRECTS } from "./fetch-feed.ts";
import { type KeyedEntry, withKeys } from "./keys.ts";
import type { Entry } from "./read-feed.ts";
import { type DueFeed, dueFeedById, forgetKeys, keepKeys, seenKeys, updateFeed } from "./repo.ts";
import { entriesToTake, fillTemplate, nextCheck } from "./rules.ts";
import type { FeedRow } from "./table.ts";

/** Subrequests of a check: the feed, which keys are known, which accounts have their post, two for posts of a slice and one that wakes them, the result. */
export const CALLS_OF_CHECK = 1 + MAX_REDIRECTS + 2 + 3 + 1;

/** Until the entries that one check has left. */
const SOON_SECONDS = 60;
const SEEN_AGAIN_MS = 7 * DAY;
/** Longer than an entry is away from its feed and comes back. */
const FORGOTTEN_MS = 60 * DAY;
/** The problem of an entry stays until another entry makes posts. That of a failed check ends with the next check that succeeds. */
const problemOfEntry = ({ failures, problem }: FeedRow): string | null =>
  failures > 0 ? null : problem;

/** An entry waits this long for an account that takes no post at the moment. */
const WAITS_MS = 7 * DAY;

const LEFT =
  "The person who added the feed has left the team. Change the feed, and it goes on in your name.";

/** Asks a feed, and makes posts of what is new. */
export async function checkFeed(deps: Deps, feed: DueFeed): Promise<void> {
  if (feed.role === null) return keep(deps, feed, { isActive: false, problem: LEFT });
  const fetched = await fetchFeed(deps, feed);
  if (fetched.kind === "unchanged") {
    if (feed.failures > 0) await keep(deps, feed, { failures: 0, problem: null });
    return;
  }
  if (fetched.kind === "failed") return fail(deps, feed, fetched);
  const { readFeed } = await import("./read-feed.ts");
  const entries = readFeed(fetched.text, fetched.url);
  if (!entries)
    return fail(deps, feed, { problem: "It is not a feed.", askedMs: 0, isGone: false });
  await takeNew(deps, feed, fetched, entries);
}

async function fail(
  deps: Deps,
  feed: DueFeed,
  { problem, askedMs, isGone }: Omit<Extract<FetchedFeed, { kind: "failed" }>, "kind">,
): Promise<void> {
  const failures = feed.failures + 1;
  const nextAt = nextCheck(deps.now(), failures, askedMs);
  const ended = isGone ? { isActive: false, problem: `${problem} The feed is gone for good.` } : {};
  await keep(deps, feed, { failures, nextAt, problem, ...ended });
}

async function takeNew(
  deps: Deps,
  asked: DueFeed,
  { etag, lastModified }: Extract<FetchedFeed, { kind: "changed" }>,
  entries: readonly Entry[],
): Promise<void> {
  const now = deps.now();
  const keyed = await withKeys(entries);
  const [known, [feed]] = await deps.db.run([
    seenKeys(
      asked.id,
      keyed.flatMap(({ keys }) => keys),
    ),
    dueFeedById(asked.id),
  ]);
  // Somebody may have changed the feed while it answered.
  if (!feed?.isActive || feed.role === null || feed.url !== asked.url) return;
  const seen = new Set(known);
  const unseen = keyed.filter(({ keys }) => !keys.some((key) => seen.has(key)));
  const isOld = ({ entry }: KeyedEntry) =>
    entry.publishedAt !== null && entry.publishedAt < feed.createdAt;
  // The newest entry stands first.
  const fresh = unseen.filter((one) => !isOld(one)).toReversed();
  const taken = entriesToTake(fresh, feed, now);
  const waiting = new Set(fresh.filter((one) => !taken.includes(one)));
  const madeKeys: string[] = [];
  let problem = problemOfEntry(feed);
  if (taken.length > 0) {
    const targets = await openTargets(deps, feed, taken);
    const results = await makePosts(deps, feed, targets).catch((error) => {
      if (error instanceof AppError) return error;
      throw error;
    });
    for (const one of passingAmong(targets, results, now)) waiting.add(one);
    if (results instanceof AppError) problem = results.message;
    else {
      problem = problemIn(targets, results);
      const made = targets.filter((_, i) => results[i] && !("errors" in results[i]));
      madeKeys.push(...made.filter(({ one }) => waiting.has(one)).flatMap(keysOfTarget));
    }
  }
  const hasProgress = taken.some((one) => !waiting.has(one));
  const hasMore = fresh.length > taken.length && hasProgress;
  const done = keyed.filter((one) => !waiting.has(one));
  const keys = [...done.flatMap((one) => one.keys), ...madeKeys];
  const next: Partial<FeedRow> = {
    failures: 0,
    // What waits is asked for again, so the whole feed has to be answered.
    ...(waiting.size > 0 ? { etag: null, lastModified: null } : { etag, lastModified }),
    problem,
    ...(hasMore ? { nextAt: new Date(now.getTime() + SOON_SECONDS * SECOND) } : {}),
  };
  const changes = Object.entries(next).some(
    ([name, value]) => feed[name as keyof FeedRow] !== value,
  );
  await deps.db.run([
    keepKeys(feed, keys, { now, againMs: SEEN_AGAIN_MS }),
    forgetKeys(feed.id, new Date(now.getTime() - FORGOTTEN_MS)),
    ...(changes ? [updateFeed(feed.teamId, feed.id, next)] : []),
  ]);
  if (hasMore) await wakeFeeds(deps, SOON_SECONDS);
}

/** An entry for one of the feed's accounts. */
interface Target {
  one: KeyedEntry;
  accountId: string;
}

/** While an entry waits for one account, these say which others have their post. */
const keysOfTarget = ({ one, accountId }: Target): string[] =>
  one.keys.map((key) => `${key}:${accountId}`);

async function openTargets(
  deps: Deps,
  feed: DueFeed,
  taken: readonly KeyedEntry[],
): Promise<Target[]> {
  const targets = taken.flatMap((one) => feed.accountIds.map((accountId) => ({ one, accountId })));
  const [made] = await deps.db.run([seenKeys(feed.id, targets.flatMap(keysOfTarget))]);
  const seen = new Set(made);
  return targets.filter((target) => !keysOfTarget(target).some((key) => seen.has(key)));
}

/** Entries that an account may take later, as they are, unless they are too old by now. */
function passingAmong(
  targets: readonly Target[],
  results: readonly SeriesResult[] | AppError,
  now: Date,
): KeyedEntry[] {
  const isPassing = (result: SeriesResult | undefined) =>
    result !== undefined && "errors" in result && result.isPassing;
  return targets
    .filter((_, i) => results instanceof AppError || isPassing(results[i]))
    .map(({ one }) => one)
    .filter(({ entry }) => now.getTime() - (entry.publishedAt?.getTime() ?? 0) < WAITS_MS);
}

function makePosts(deps: Deps, feed: DueFeed, targets: readonly Target[]): Promise<SeriesResult[]> {
  const series = targets.map(({ one: { entry, keys }, accountId }) => ({
    sourceKey: `feed:${feed.id}:${keys[0]}:${accountId}`,
    accountId,
    post: toNewPost(feed, entry, accountId),
  }));
  return createSeries(contextOf(deps, feed), series, { isDryRun: false });
}

/** Posts belong to the person who added the feed, with the person's present role. */
function contextOf(deps: Deps, feed: DueFeed): Ctx {
  const role = feed.role ?? "MEMBER";
  const actor: Actor = {
    tokenId: null,
    userId: feed.createdBy,
    name: "",
    isAgent: false,
    teamId: feed.teamId,
    isPinned: true,
    role,
    needsApproval: feed.needsApproval && role === "MEMBER",
    isProgram: false,
    accounts: null,
    scopes: [feed.mayPublish ? "posts:publish" : "posts:write"],
  };
  return contextFor(deps, actor, knownId);
}

export function toNewPost(
  {
    template,
    status,
    origin,
    takesPicture,
  }: Pick<FeedRow, "template" | "status" | "origin" | "takesPicture">,
  entry: Entry,
  accountId: string,
): NewPost {
  const { picture, link, title } = entry;
  const hasPicture = takesPicture && picture !== null;
  return {
    ...EMPTY_POST,
    accountIds: [accountId],
    origin,
    status,
    caption: fillTemplate(template, entry),
    media: hasPicture ? [mediaAt(picture, "picture", true)] : [],
    overrides: { pinterest: { title, settings: link === null ? {} : { link } } },
  };
}

/** What an owner sees: the last entry that made no post, and why. */
function problemIn(targets: readonly Target[], results: readonly SeriesResult[]): string | null {
  const index = results.findLastIndex((one) => "errors" in one);
  const refused = results[index];
  if (!refused || !("errors" in refused)) return null;
  const title = targets[index]?.one.entry.title.slice(0, 100) ?? "";
  const reason = refused.errors.map(({ message }) => message).join(" ");
  return `“${title}” made no post: ${reason}`.slice(0, 1_000);
}

async function keep(deps: Deps, feed: FeedRow, set: Partial<FeedRow>): Promise<void> {
  await deps.db.run([updateFeed(feed.teamId, feed.id, set)]);
}
