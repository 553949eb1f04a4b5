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
import { entriesAtOnce, fillTemplate, nextCheck } from "./rules.ts";
import type { FeedRow } from "./table.ts";

/** Subrequests of a check: the feed, which keys are known, two for posts of a slice and one that wakes them, the result. */
export const CALLS_OF_CHECK = 1 + MAX_REDIRECTS + 1 + 3 + 1;

/** Until the entries that one check has left. */
const SOON_SECONDS = 60;
const SEEN_AGAIN_MS = 7 * DAY;
/** Longer than an entry is away from its feed and comes back. */
const FORGOTTEN_MS = 60 * DAY;
/** Of an entry, it stays until another entry makes posts; of a check, it ends with one that succeeds. */
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
  const taken = fresh.slice(0, entriesAtOnce(feed.accountIds.length));
  const waiting = new Set(fresh.slice(taken.length));
  let problem = problemOfEntry(feed);
  if (taken.length > 0) {
    const results = await makePosts(deps, feed, taken).catch((error) => {
      if (error instanceof AppError) return error;
      throw error;
    });
    if (results instanceof AppError) {
      problem = results.message;
      for (const one of taken) waiting.add(one);
    } else {
      problem = problemIn(taken, feed, results);
      for (const one of passingAmong(taken, feed, results, now)) waiting.add(one);
    }
  }
  const hasMore = fresh.length > taken.length;
  const done = keyed.filter((one) => !waiting.has(one));
  const keys = done.flatMap((one) => one.keys);
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

/** Entries that an account may take later, as they are, unless they are too old by now. */
function passingAmong(
  taken: readonly KeyedEntry[],
  { accountIds }: FeedRow,
  results: readonly SeriesResult[],
  now: Date,
): KeyedEntry[] {
  return taken.filter(({ entry }, i) => {
    const ownResults = results.slice(i * accountIds.length, (i + 1) * accountIds.length);
    const isPassing = ownResults.some((one) => "errors" in one && one.isPassing);
    const isRecent = now.getTime() - (entry.publishedAt?.getTime() ?? 0) < WAITS_MS;
    return isPassing && isRecent;
  });
}

function makePosts(
  deps: Deps,
  feed: DueFeed,
  taken: readonly KeyedEntry[],
): Promise<SeriesResult[]> {
  const series = taken.flatMap(({ entry, keys }) =>
    feed.accountIds.map((accountId) => ({
      sourceKey: `feed:${feed.id}:${keys[0]}:${accountId}`,
      accountId,
      post: toNewPost(feed, entry, accountId),
    })),
  );
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
function problemIn(
  taken: readonly KeyedEntry[],
  { accountIds }: FeedRow,
  results: readonly SeriesResult[],
): string | null {
  const index = results.findLastIndex((one) => "errors" in one);
  const refused = results[index];
  if (!refused || !("errors" in refused)) return null;
  const entry = taken[Math.floor(index / accountIds.length)]?.entry;
  const reason = refused.errors.map(({ message }) => message).join(" ");
  return `“${entry?.title.slice(0, 100) ?? ""}” made no post: ${reason}`.slice(0, 1_000);
}

async function keep(deps: Deps, feed: FeedRow, set: Partial<FeedRow>): Promise<void> {
  await deps.db.run([updateFeed(feed.teamId, feed.id, set)]);
}
