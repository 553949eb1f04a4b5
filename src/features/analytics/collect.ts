import { errorName } from "../../core/errors.ts";
import { hashtagsOf } from "../../core/hashtags.ts";
import type { Platform } from "../../core/platforms.ts";
import { HOUR } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import type { Fetch, Stopped } from "../../platforms/connector.ts";
import { oneLine } from "../../platforms/kit/replies.ts";
import type {
  MeasuredPost,
  MetricsJob,
  MetricsReader,
  MetricsReading,
  OwnPost,
} from "../../platforms/metrics.ts";
import { connectorOf } from "../../platforms/registry.ts";
import type { AccountRow } from "../accounts/table.ts";
import {
  loginFetch,
  NoCredentials,
  platformFetch,
  toPublishAccount,
  withTimeout,
} from "../logins/platform-access.ts";
import { usableLogin } from "../logins/usable-login.ts";
import type { OwnRow } from "./repo/write.ts";
import { isKeptApart } from "./rules/apart.ts";
import { METRICS } from "./rules/counters.ts";
import type { Measures, SyncReading } from "./rules/series.ts";
import type { PostReading } from "./rules/snapshots.ts";
import type { CollectionBookmark, SyncError } from "./table.ts";

export interface Task {
  account: AccountRow;
  own: readonly OwnRow[];
  from: CollectionBookmark | null;
  /** Maximum number of posts of all parts together. */
  max: number;
  /** @param calls further calls to the platform */
  hasRoom(calls: number, spent: number): boolean;
}

export interface Collected {
  reading: SyncReading | null;
  errors: SyncError[];
  /** Null when all was read, or after a final refusal. */
  next: CollectionBookmark | null;
  /** A temporary refusal; `waitSeconds` is null when the platform gave no delay. */
  refusal: { waitSeconds: number | null } | null;
}

/** No platform's ids are longer. */
const MAX_ID = 200;
/** Some platforms let people set a post's date; earlier dates are wrong. */
const EARLIEST = Date.UTC(2004, 0, 1);
const MAX_TEXT = 150;
const MAX_URL = 500;
const MAX_HASHTAGS = 30;

export function readerOf(account: AccountRow): MetricsReader | null {
  const { metrics } = connectorOf(account.platform);
  if (!metrics) return null;
  const owner = toPublishAccount(account);
  const readers = [metrics, ...(metrics.others ?? [])];
  return readers.find((reader) => reader.covers?.(owner) ?? true) ?? null;
}

/** Platforms that charge for reads are read less often. */
export const isTooSoon = (
  { hoursBetweenReads = 0 }: MetricsReader,
  syncedAt: Date | null,
  now: Date,
) => syncedAt !== null && now.getTime() - syncedAt.getTime() < hoursBetweenReads * HOUR;

export function measuresOf(deps: Pick<Deps, "config">, platform: Platform): Measures {
  const { counts = [], keepDays = null } = connectorOf(platform).metrics ?? {};
  return {
    metrics: METRICS.map((metric) => counts.includes(metric)),
    keepDays,
    keepsMonths: !isKeptApart(deps, platform),
  };
}

export const uploadIdsOf = (own: readonly OwnRow[]): Map<string, number> =>
  new Map(
    own.flatMap((row) => toOwnPosts(row).map(({ id }): [string, number] => [id, row.uploadId])),
  );

function toOwnPosts({ postId, url, title, description, publishedAt, replies }: OwnRow): OwnPost[] {
  const text = [title, description].filter(Boolean).join("\n");
  const head = { id: postId, url, publishedAt, text };
  const others = (replies ?? []).flatMap(({ id, url, text }): OwnPost[] =>
    id === null ? [] : [{ id, url, publishedAt, text: text ?? "", isReply: true }],
  );
  return [head, ...others];
}

/** A refusal by the platform ends the part and keeps what was read. */
export async function collect(
  deps: Deps,
  reader: MetricsReader,
  { account, own, from, max, hasRoom }: Task,
): Promise<Collected> {
  const at = deps.now().getTime();
  const { platform } = account;
  const errors: SyncError[] = [];
  const tell = (message: string) => errors.push({ message, at });
  const session = createSession(deps, reader, account, own);
  const replies = new Set(own.flatMap(({ replies }) => replies?.map(({ id }) => id) ?? []));
  /** A thread's posts of the same second follow its first. */
  const inOrder = (post: MeasuredPost): MeasuredPost =>
    replies.has(post.id)
      ? { ...post, publishedAt: new Date(post.publishedAt.getTime() + 1) }
      : post;
  let posts: MeasuredPost[] | null = null;
  let followers: number | null = null;
  let isRead = false;

  if (from === null) {
    const answer = await session.ask((job) => reader.readFollowers(job));
    if (answer.ok) [followers, isRead] = [answer.value, true];
    else tell(`Followers: ${describe(platform, answer.error)}`);
    if (!answer.ok && session.isLost()) return { reading: null, errors, next: null, refusal: null };
  }

  let next: CollectionBookmark | null = from;
  do {
    const read: number = next?.read ?? 0;
    const answer = await session.ask((job) => reader.readPage(job, next?.cursor || null));
    if (!answer.ok) {
      tell(`Posts: ${describe(platform, answer.error)}`);
      const reading = isRead ? toReading(at, posts, followers) : null;
      const refusal = temporary(answer.error);
      return { reading, errors, next: refusal && (next ?? BEGINNING), refusal };
    }
    isRead = true;
    const { cursor, problems = [] } = answer.value;
    posts = [...(posts ?? []), ...answer.value.posts.map(inOrder)];
    for (const problem of problems) tell(problem);
    // An empty page counts as one post, so that an endless list ends.
    const soFar = read + Math.max(1, answer.value.posts.length);
    next = cursor !== null && soFar < max ? { cursor, read: soFar, refusals: 0 } : null;
  } while (next !== null && hasRoom(reader.callsOf(next.cursor), session.spent()));
  return { reading: toReading(at, posts, followers), errors, next, refusal: null };
}

const BEGINNING: CollectionBookmark = { cursor: "", read: 0, refusals: 0 };

function temporary(stopped: Stopped): Collected["refusal"] {
  if (stopped.kind === "token_expired") return null;
  const { transient, failure } = stopped;
  if (!transient && failure.code !== "rate_limited") return null;
  return { waitSeconds: failure.retryAfterSeconds ?? null };
}

const describe = (platform: string, stopped: Stopped): string =>
  stopped.kind === "token_expired"
    ? `${platform} refuses the account's login. Reconnect the account.`
    : stopped.failure.message;

const toReading = (
  at: number,
  posts: readonly MeasuredPost[] | null,
  followers: number | null,
): SyncReading => ({
  at,
  followers,
  posts:
    posts?.filter(({ id }) => id.length <= MAX_ID).map((post) => toPostReading(post, at)) ?? null,
});

const toPostReading = (
  { id, publishedAt, text, url, counters }: MeasuredPost,
  at: number,
): PostReading => ({
  id,
  at,
  text: oneLine(text, MAX_TEXT),
  publishedAt: Math.min(at, Math.max(EARLIEST, publishedAt.getTime())),
  hashtags: hashtagsOf(text).slice(0, MAX_HASHTAGS),
  url: url !== null && url.length <= MAX_URL && /^https?:\/\//.test(url) ? url : null,
  counters: METRICS.map((metric) => counters[metric]),
});

const failed = (message: string): Stopped => ({
  kind: "failed",
  failure: { code: "platform_unavailable", message },
  transient: false,
});

/** Renews the login once when the platform refuses it. */
function createSession(
  deps: Deps,
  reader: MetricsReader,
  account: AccountRow,
  own: readonly OwnRow[],
) {
  const connector = connectorOf(account.platform);
  let job: MetricsJob | null = null;
  let isLost = false;
  let isRenewed = false;
  let spent = 0;

  const counted =
    (network: Fetch): Fetch =>
    (input, init) => {
      spent++;
      return network(input, init);
    };

  const toJob = (accessToken: string, network: Fetch): MetricsJob => ({
    account: toPublishAccount(account),
    accessToken,
    fetch: withTimeout(counted(network)),
    own: own.flatMap(toOwnPosts),
    now: deps.now,
  });

  /** Returns null when there is a valid login, else why there is none. */
  async function logIn(staleToken: string | null): Promise<Stopped | null> {
    if (reader.isPublic) {
      job = toJob("", platformFetch(deps, account));
      return null;
    }
    const login = await usableLogin(deps, connector, account, staleToken);
    if (login.kind === "ready") {
      const { credentials } = login;
      job = toJob(credentials.accessToken, loginFetch(deps, account, credentials));
      return null;
    }
    isLost = true;
    return failed(login.kind === "refused" ? login.message : "The login is being renewed.");
  }

  async function ask<T>(question: (job: MetricsJob) => MetricsReading<T>) {
    try {
      const refusal = job ? null : await logIn(null);
      if (refusal || !job) return { ok: false as const, error: refusal ?? failed("No login.") };
      const answer = await question(job);
      if (answer.ok || answer.error.kind !== "token_expired" || isRenewed || reader.isPublic) {
        return answer;
      }
      isRenewed = true;
      const again = await logIn((job as MetricsJob).accessToken);
      return again ? { ok: false as const, error: again } : await question(job);
    } catch (error) {
      if (error instanceof NoCredentials) {
        isLost = true;
        return { ok: false as const, error: failed(error.message) };
      }
      deps.log({ event: "analytics.no_answer", accountId: account.id, error: errorName(error) });
      return { ok: false as const, error: failed(`${account.platform} did not answer.`) };
    }
  }

  return { ask, isLost: () => isLost, spent: () => spent };
}
