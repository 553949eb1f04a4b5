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

const TRIES = 5;
const MAX_ERRORS = 20;

export interface Synced {
  teamId: number;
  accountId: string;
  reading: SyncReading | null;
  /** Ids of our posts by the platform's ids. */
  uploadIds: ReadonlyMap<string, number>;
  /** The platform's ids of posts that count in no figures. */
  rehearsed: readonly string[];
  measures: Measures;
  errors: readonly SyncError[];
  collection?: { night: string; bookmark: CollectionBookmark | null };
}

export interface StoredState {
  row: AnalyticsRow | undefined;
  posts: readonly StoredPost[] | undefined;
}

/**
 * Merges a sync into the stored state. Returns false for a deleted account.
 *
 * @param stored the state, if just read
 */
export async function storeSync(
  deps: Deps,
  synced: Synced,
  stored?: StoredState,
): Promise<boolean> {
  const { teamId: team, accountId: id, uploadIds, measures } = synced;
  const rehearsed = new Set(synced.rehearsed);
  const reading = synced.reading && {
    ...synced.reading,
    posts: synced.reading.posts && without(rehearsed, synced.reading.posts),
  };
  const read = async (): Promise<StoredState> => {
    const [[row], [posts]] = await deps.db.run([stateOf({ team, id }), postsOf({ team, id })]);
    return { row, posts };
  };
  let lost: number | null = null;
  for (let tries = TRIES; tries > 0; tries--) {
    const { row, posts } = tries === TRIES && stored ? stored : await read();
    // The write failed although the version is unchanged, so the account was deleted.
    if (lost === (row?.version ?? 0)) return false;
    const before: AccountState = row
      ? { series: unpackSeries(row.series), posts: without(rehearsed, posts ?? []) }
      : NOTHING;
    const after = reading ? takeSync(before, reading, uploadIds, measures) : before;
    const errors = [
      ...synced.errors,
      ...shrinkErrors(before.posts, reading),
      ...doubtErrors(after.posts, reading),
    ];
    if (await replace(deps, { ...synced, errors }, row, after)) return true;
    lost = row?.version ?? 0;
  }
  return false;
}

/** A collection that ran during a rehearsal may have stored its post. */
const without = <T extends { id: string }>(
  rehearsed: ReadonlySet<string>,
  posts: readonly T[],
): readonly T[] => posts.filter(({ id }) => !rehearsed.has(id));

function shrinkErrors(posts: readonly StoredPost[], reading: SyncReading | null): SyncError[] {
  const before = new Map(posts.map((post) => [post.id, post]));
  const count = reading?.posts?.filter((post) => hasShrunk(before.get(post.id), post)).length ?? 0;
  if (!reading || count === 0) return [];
  const message = `The platform reports fewer views than before for ${countOfPosts(count)}. Gains are counted on from the highest number.`;
  return [{ message, at: reading.at }];
}

const countOfPosts = (count: number): string => `${count} post${count === 1 ? "" : "s"}`;

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
    errors: JSON.stringify(errors.slice(-MAX_ERRORS)),
    series: JSON.stringify(packSeries(series)),
    summary: JSON.stringify(summarize(posts)),
  });
  if (!reading) return (await deps.db.run([state]))[0] > 0;
  const [, changed] = await deps.db.run([
    storePosts({ ...place, posts: JSON.stringify(posts) }),
    state,
  ]);
  return changed > 0;
}

const toText = (bookmark: CollectionBookmark | null): string | null =>
  bookmark && JSON.stringify(bookmark);
