import type { Result } from "../core/result.ts";
import type { Fetch } from "./fetch.ts";
import type { PublishAccount } from "./login.ts";
import type { Stopped } from "./stopped.ts";

/** Cumulative counters of a post, in our words; null where the platform does not tell one. */
export interface PostCounters {
  views: number | null;
  likes: number | null;
  comments: number | null;
  shares: number | null;
}

/** A post as the platform shows it, with its counters now. */
export interface MeasuredPost {
  /** As `platformPostId` of a post that was published through us. */
  id: string;
  publishedAt: Date;
  text: string;
  url: string | null;
  counters: PostCounters;
}

/** A post that was published through us. */
export interface OwnPost {
  id: string;
  publishedAt: Date;
  text: string;
  url: string | null;
}

/** Everything that a reader of metrics is given. */
export interface MetricsJob {
  account: PublishAccount;
  /** Empty for what everybody may read. */
  accessToken: string;
  /** Carries the deadline of one call. Never follows redirects. */
  fetch: Fetch;
  /** Newest first, as many as are kept. */
  own: readonly OwnPost[];
  now(): Date;
}

export interface MetricsPage {
  posts: MeasuredPost[];
  /** Where the next page begins; null at the end. */
  cursor: string | null;
  /** Its parts that could not be read, in sentences. */
  problems?: string[];
}

export type MetricsReading<T> = Promise<Result<T, Stopped>>;

/** Reads how the posts of an account do. */
export interface MetricsReader {
  /** The counters that the platform tells at all. */
  counts: readonly (keyof PostCounters)[];
  /** Calls that the page at this place makes at most. */
  callsOf(cursor: string | null): number;
  /** Posts of a page, at most. */
  pagePosts: number;
  /** Everybody may read it: it is asked for without the account's login. */
  isPublic?: boolean;
  /** Days for which the platform lets single days be kept; absent: as long as others. */
  keepDays?: number;
  /** Hours in which an account is read at most once, as its platform charges for it. */
  restsHours?: number;
  /** Absent: of every account. */
  covers?(account: PublishAccount): boolean;
  /** Up to `pagePosts`, the newest first. */
  readPage(job: MetricsJob, cursor: string | null): MetricsReading<MetricsPage>;
  /** Null where the platform does not tell. */
  readFollowers(job: MetricsJob): MetricsReading<number | null>;
}
