import type { Result } from "../core/result.ts";
import type { Fetch } from "./fetch.ts";
import type { PublishAccount } from "./login.ts";
import type { Stopped } from "./stopped.ts";

/** Totals since publishing. Null where the platform does not report the counter. */
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
  /** A further post of a thread. */
  isReply?: true;
}

export interface MetricsJob {
  account: PublishAccount;
  /** Empty when the figures are public. */
  accessToken: string;
  /** Calls have a deadline and follow no redirects. */
  fetch: Fetch;
  own: readonly OwnPost[];
  now(): Date;
}

export interface MetricsPage {
  posts: MeasuredPost[];
  /** Null on the last page. */
  cursor: string | null;
  /** Sentences about unreadable posts and figures. */
  problems?: string[];
}

export type MetricsReading<T> = Promise<Result<T, Stopped>>;

export interface MetricsReader {
  counts: readonly (keyof PostCounters)[];
  /** The most calls that this page takes. */
  callsOf(cursor: string | null): number;
  pagePosts: number;
  /** Calls send no login. */
  isPublic?: boolean;
  /** Days that the platform's terms allow daily figures to be kept. */
  keepDays?: number;
  /**
   * The terms forbid sums with other platforms' figures, and monthly sums of days that may no longer be kept.
   * `Config.derivedMetrics` names platforms that allow an owner both.
   */
  isKeptApart?: true;
  /** Minimum, where reads cost money or the platform allows few calls a day. */
  hoursBetweenReads?: number;
  /** Absent when every account is covered. */
  covers?(account: PublishAccount): boolean;
  /** For accounts that this reader does not cover. */
  others?: readonly MetricsReader[];
  /** Newest first. */
  readPage(job: MetricsJob, cursor: string | null): MetricsReading<MetricsPage>;
  readFollowers(job: MetricsJob): MetricsReading<number | null>;
}
