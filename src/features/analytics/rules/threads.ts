import { add } from "./counters.ts";
import type { StoredPost } from "./snapshots.ts";

/** Makes the posts of each thread one post with the sums of their counters. */
export function joinThreads(posts: readonly StoredPost[]): StoredPost[] {
  const byUpload = Map.groupBy(posts, ({ id, uploadId }) => uploadId ?? id);
  return [...byUpload.values()]
    .map((thread) => thread.reduce(joined))
    .sort((a, b) => b.publishedAt - a.publishedAt || (a.id < b.id ? -1 : 1));
}

function joined(a: StoredPost, b: StoredPost): StoredPost {
  const first = a.publishedAt < b.publishedAt ? a : b;
  return { ...first, counters: add(a.counters, b.counters) };
}
