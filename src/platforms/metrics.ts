import type { Result } from "../core/result.ts";
import type { Fetch } from "./fetch.ts";
import type { PublishAccount } from "./login.ts";
import type { Stopped } from "./stopped.ts";

/** Totals since the post was published. A counter that the platform does not report is null. */
export interface PostCounters {
  views: number | null;
  likes: number | null;
  comments: number | null;
  shares: number | null;
}

export interface MeasuredPost {
  id: string;
  publishedAt: Date;
  text: string;
  url: string | null;
  counters: PostCounters;
}

export interface OwnPost {
  id: string;
  publishedAt: Date;
  text: string;
  url: string | null;
}

export interface MetricsJob {
  account: PublishAccount;
  /** Empty when the figures are public. */
  accessToken: string;
  /** Each call has a deadline. Redirects are not followed. */
  fetch: Fetch;
  own: readonly OwnPost[];
  now(): Date;
}

export interface MetricsPage {
  posts: MeasuredPost[];
  /** Null on the last page. */
  cursor: string | null;
  /** Sentences about posts and figures that could not be read. */
  problems?: string[];
}

export type MetricsReading<T> = Promise<Result<T, Stopped>>;

export interface MetricsReader {
  counts: readonly (keyof PostCounters)[];
  /** Returns the maximum number of calls for reading this page. */
  callsOf(cursor: string | null): number;
  pagePosts: number;
  /** The figures are public, so calls send no login. */
  isPublic?: boolean;
  /** Days that the platform's terms allow daily figures to be kept. */
  keepDays?: number;
  /**
   * The platform's terms forbid sums with other platforms' figures, and sums by month of days that may no longer be
   * kept. `Config.derivedMetrics` lists platforms that allow an owner both.
   */
  isKeptApart?: true;
  /** Minimum hours between two reads, where reads cost money or the platform allows few calls a day. */
  hoursBetweenReads?: number;
  /** Absent when the reader covers every account. */
  covers?(account: PublishAccount): boolean;
  /** Readers of accounts that this reader does not cover. */
  others?: readonly MetricsReader[];
  /** The newest post comes first. */
  readPage(job: MetricsJob, cursor: string | null): MetricsReading<MetricsPage>;
  readFollowers(job: MetricsJob): MetricsReading<number | null>;
}
