import type { Result } from "../core/result.ts";
import type { Fetch } from "./fetch.ts";
import type { PublishAccount } from "./login.ts";
import type { Stopped } from "./stopped.ts";

/** Cumulative; null where the platform does not report a counter. */
export interface PostCounters {
  views: number | null;
  likes: number | null;
  comments: number | null;
  shares: number | null;
}

export interface MeasuredPost {
  /** Equals `platformPostId` of our posts. */
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
  /** Empty for public figures. */
  accessToken: string;
  /** Has the deadline of one call. Never follows redirects. */
  fetch: Fetch;
  own: readonly OwnPost[];
  now(): Date;
}

export interface MetricsPage {
  posts: MeasuredPost[];
  /** Where the next page begins; null at the end. */
  cursor: string | null;
  /** What could not be read, in sentences. */
  problems?: string[];
}

export type MetricsReading<T> = Promise<Result<T, Stopped>>;

export interface MetricsReader {
  counts: readonly (keyof PostCounters)[];
  /** Most calls for this page. */
  callsOf(cursor: string | null): number;
  pagePosts: number;
  /** Public figures: no login is sent. */
  isPublic?: boolean;
  /** Days that the platform's terms allow daily figures to be kept. */
  keepDays?: number;
  /** Least hours between two reads, as reads cost money. */
  restsHours?: number;
  /** Absent when all accounts are covered. */
  covers?(account: PublishAccount): boolean;
  /** Newest first. */
  readPage(job: MetricsJob, cursor: string | null): MetricsReading<MetricsPage>;
  readFollowers(job: MetricsJob): MetricsReading<number | null>;
}
