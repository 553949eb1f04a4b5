import type { Deps } from "../../deps.ts";
import { postsOf } from "./repo/read.ts";
import { type AnalyticsRow, stateOf, storePosts, storeState } from "./repo/write.ts";
import { isDoubted } from "./rules/doubts.ts";
import {
  type AccountState,
  type Measures,
  NOTHING,
  type SyncReading,
  takeSync,
} from "./rules/series.ts";
import { hasShrunk, type StoredPost } from "./rules/snapshots.ts";
import { summarize } from "./rules/summary.ts";
import { packSeries, unpackSeries } from "./stored.ts";
import type { CollectionBookmark, SyncError } from "./table.ts";

/** Two syncs of an account at once are rare; more than a few never all lose. */
const TRIES = 5;
/** Errors that are kept of a collection: the last ones. */
const MOST_ERRORS = 20;

/** The outcome of a sync, or of a part of one. */
export interface Synced {
  teamId: number;
  accountId: string;
  /** Null where nothing could be read at all. */
  reading: SyncReading | null;
  /** Posts of ours by the platform's ids. */
  uploadIds: ReadonlyMap<string, number>;
  measures: Measures;
  errors: readonly SyncError[];
  /** The collection that it is a part of; absent for one that is done at once. */
  collection?: { night: string; bookmark: CollectionBookmark | null };
}

/** The state that is stored of an account; undefined before its first sync. */
export interface Known {
  row: AnalyticsRow | undefined;
  posts: readonly StoredPost[] | undefined;
}

/**
 * Takes a sync into what is stored of its account. Another one that is stored meanwhile loses nothing by it:
 * both are taken into the same state. Answers false for an account that is gone.
 *
 * @param known what was stored a moment ago, so that it need not be read; one that is stored meanwhile still counts
 */
export async function storeSync(deps: Deps, synced: Synced, known?: Known): Promise<boolean> {
  const { teamId: team, accountId: id } = synced;
  const read = async (): Promise<Known> => {
    const [[row], [posts]] = await deps.db.run([stateOf({ team, id }), postsOf({ team, id })]);
    return { row, posts };
  };
  let lost: number | null = null;
  for (let left = TRIES; left > 0; left--) {
    const { row, posts } = left === TRIES && known ? known : await read();
    // Nobody was faster: there is nothing to store it in.
    if (lost === (row?.version ?? 0)) return false;
    const before: AccountState = row
      ? { series: unpackSeries(row.series), posts: posts ?? [] }
      : NOTHING;
    const after = synced.reading
      ? takeSync(before, synced.reading, synced.uploadIds, synced.measures)
      : before;
    const errors = [
      ...synced.errors,
      ...shrinkErrors(before.posts, synced.reading),
      ...doubtErrors(after.posts, synced.reading),
    ];
    if (await replace(deps, { ...synced, errors }, row, after)) return true;
    lost = row?.version ?? 0;
  }
  return false;
}

/** Tells of posts that have fewer views than at their reading before. */
function shrinkErrors(known: readonly StoredPost[], reading: SyncReading | null): SyncError[] {
  const before = new Map(known.map((post) => [post.id, post]));
  const count = reading?.posts?.filter((post) => hasShrunk(before.get(post.id), post)).length ?? 0;
  if (!reading || count === 0) return [];
  const message = `The platform reports fewer views than before for ${countOfPosts(count)}. Gains are counted on from the highest number.`;
  return [{ message, at: reading.at }];
}

const countOfPosts = (count: number): string => `${count} post${count === 1 ? "" : "s"}`;

/** Tells of posts whose numbers wait for a second reading. */
function doubtErrors(posts: readonly StoredPost[], reading: SyncReading | null): SyncError[] {
  const read = new Set(reading?.posts?.map(({ id }) => id));
  const count = posts.filter((post) => read.has(post.id) && isDoubted(post)).length;
  if (!reading || count === 0) return [];
  const message = `The platform reports an unlikely rise for ${countOfPosts(count)}. The new numbers count once the next reading confirms them.`;
  return [{ message, at: reading.at }];
}

async function replace(
  deps: Deps,
  { teamId: team, accountId: id, reading, errors, collection }: Synced,
  row: AnalyticsRow | undefined,
  { series, posts }: AccountState,
): Promise<boolean> {
  const place = { team, id, version: row?.version ?? 0 };
  const at = Math.max(row?.syncedAt?.getTime() ?? 0, reading?.at ?? 0);
  const state = storeState({
    ...place,
    night: collection?.night ?? row?.night ?? null,
    bookmark: toText(collection ? collection.bookmark : (row?.bookmark ?? null)),
    syncedAt: at > 0 ? new Date(at) : null,
    errors: JSON.stringify(errors.slice(-MOST_ERRORS)),
    series: JSON.stringify(packSeries(series)),
    summary: JSON.stringify(summarize(posts)),
  });
  if (!reading) return (await deps.db.run([state]))[0] > 0;
  const [, stored] = await deps.db.run([
    storePosts({ ...place, posts: JSON.stringify(posts) }),
    state,
  ]);
  return stored > 0;
}

const toText = (bookmark: CollectionBookmark | null): string | null =>
  bookmark && JSON.stringify(bookmark);
