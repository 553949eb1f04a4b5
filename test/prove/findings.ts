/** A post as its text, key and moment of acceptance: each accepted call is one, whatever its key. */
export interface Arrival {
  text: string;
  at: number;
}

export interface UploadState {
  id: number;
  text: string;
  accountId: string;
  status: string;
  failureCode: string | null;
  message: string | null;
  dueAt: number | null;
  leaseUntil: number | null;
}

export interface EventState {
  uploadId: number;
  name: string;
}

/** All that the invariants are judged by: the database and the platform, nothing else. */
export interface Evidence {
  uploads: UploadState[];
  events: EventState[];
  arrivals: Arrival[];
  /** Jobs that were runnable and free, and still are after two sweeps. */
  left: number;
  cap: number;
  /** Uploads whose caller was told that they exist. */
  acknowledged: number[];
}

export interface Judgement {
  invariant: string;
  claim: string;
  violations: string[];
}

/** Returns the harness's part of a text, without steering words and additions of platforms. */
export const plainText = (text: string): string => /Post \d+ \w+/.exec(text)?.[0] ?? text;

/** Returns true for posts that must never go out, by their text: `held` and `draft`. */
export const isForbidden = (text: string): boolean => /\b(held|draft)\b/.test(text);

/** Nobody knows whether it is out, and the person is told so. */
export const isUndecided = ({ failureCode }: UploadState): boolean =>
  failureCode === "platform_processing_timeout";

const DAY_MS = 86_400_000;

export function judge(evidence: Evidence): Judgement[] {
  const { uploads, events, arrivals } = evidence;
  const posts = Map.groupBy(arrivals, ({ text }) => text);
  const postsOf = ({ text }: UploadState) => posts.get(text)?.length ?? 0;
  const eventsOf = Map.groupBy(
    events.filter(({ name }) => name === "upload.completed" || name === "upload.failed"),
    ({ uploadId }) => uploadId,
  );
  const known = new Set(uploads.map(({ text }) => text));
  const show = (upload: UploadState) =>
    `#${upload.id} "${upload.text}" ${upload.status} ${upload.failureCode ?? ""}, ${postsOf(upload)} posts`;
  const broken = (isBroken: (upload: UploadState) => boolean) => uploads.filter(isBroken).map(show);
  return [
    {
      invariant: "I1",
      claim: "no attempt makes more than one post",
      violations: broken((upload) => postsOf(upload) > 1),
    },
    {
      invariant: "I2",
      claim: "completed means exactly one post, a decided failure none",
      violations: [
        ...broken((upload) => upload.status === "completed" && postsOf(upload) !== 1),
        ...broken(
          (upload) => upload.status === "failed" && !isUndecided(upload) && postsOf(upload) !== 0,
        ),
        ...[...posts.keys()].filter((text) => !known.has(text)).map((text) => `unknown: ${text}`),
      ],
    },
    {
      invariant: "I3",
      claim: "every outcome has exactly one event, the right one",
      violations: broken((upload) => {
        const told = (eventsOf.get(upload.id) ?? []).map(({ name }) => name);
        const isOver = upload.status === "completed" || upload.status === "failed";
        return told.join() !== (isOver ? `upload.${upload.status}` : "");
      }),
    },
    {
      invariant: "I5",
      claim: `no account posts more than ${evidence.cap} times in 24 hours`,
      violations: overCap(evidence),
    },
    {
      invariant: "I6",
      claim: "an emptied queue is made up for within two sweeps",
      violations: evidence.left > 0 ? [`${evidence.left} jobs were left lying`] : [],
    },
    {
      invariant: "I7",
      claim: "at rest, nothing waits and nothing is leased",
      violations: broken(({ dueAt, leaseUntil }) => dueAt !== null || leaseUntil !== null),
    },
    {
      invariant: "I9",
      claim: "nothing goes out that was not approved",
      violations: broken((upload) => isForbidden(upload.text) && postsOf(upload) > 0),
    },
    {
      invariant: "kept",
      claim: "what the caller was told of is there",
      violations: evidence.acknowledged
        .filter((id) => !uploads.some((upload) => upload.id === id))
        .map((id) => `#${id}`),
    },
  ];
}

function overCap({ uploads, arrivals, cap }: Evidence): string[] {
  const accountOf = new Map(uploads.map(({ text, accountId }) => [text, accountId]));
  const byAccount = Map.groupBy(arrivals, ({ text }) => accountOf.get(text) ?? "");
  return [...byAccount].flatMap(([account, posts]) => {
    const times = posts.map(({ at }) => at).sort((a, b) => a - b);
    const isOver = times.some(
      (at, i) => at - (times[i - cap] ?? Number.NEGATIVE_INFINITY) < DAY_MS,
    );
    return isOver ? [`${account}: ${posts.length} posts`] : [];
  });
}

export const duplicates = (arrivals: readonly Arrival[]): number =>
  arrivals.length - new Set(arrivals.map(({ text }) => text)).size;
