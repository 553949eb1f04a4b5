import type { PartKind } from "../../src/platforms/part-kinds.ts";
import { judgeParts } from "./part-findings.ts";

/** A post or comment as its text and moment of acceptance: each accepted call is one, whatever its key. */
export interface Arrival {
  text: string;
  at: number;
  /** The platform's id of it, or the end of that id. */
  key?: string;
  url?: string;
  /** Of a reply or comment: the texts of the posts that it answers and that begin the thread. */
  under?: { parent: string; root: string };
}

/** A part as an answer of the API tells of it. */
export interface PartState {
  kind: PartKind;
  text: string;
  status: string;
  platformPostId: string | null;
  shareUrl: string | null;
  failureCode: string | null;
  message: string | null;
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
  parts: PartState[];
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

const OURS = /Post \d+ \w+(?: part \d+| comment)?/;

/** Finds the text of a post or part in a body. */
export const textIn = (body: string): string | null =>
  OURS.exec(body)?.[0] ?? OURS.exec(body.replaceAll("+", " "))?.[0] ?? null;

/** Returns the harness's share of a text, without steering words and additions of platforms. */
export const plainText = (text: string): string => OURS.exec(text)?.[0] ?? text;

/** Returns true for posts that must never go out, by their text: `held` and `draft`. */
export const isForbidden = (text: string): boolean => /\b(held|draft)\b/.test(text);

/** Nobody knows whether it is out, and the person is told so. */
export const isUndecided = ({ failureCode }: Pick<UploadState, "failureCode">): boolean =>
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
  const known = new Set(uploads.flatMap(({ text, parts }) => [text, ...textsOf(parts)]));
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
    ...judgeParts(evidence),
  ];
}

const textsOf = (parts: readonly PartState[]) => parts.map(({ text }) => text);

function overCap({ uploads, arrivals, cap }: Evidence): string[] {
  // Platforms count the posts of a thread, and no comments.
  const accountOf = new Map(
    uploads.flatMap(({ text, accountId, parts }) =>
      [text, ...textsOf(parts.filter(({ kind }) => kind === "post"))].map(
        (counted) => [counted, accountId] as const,
      ),
    ),
  );
  const posts = arrivals.filter(({ text }) => accountOf.has(text));
  const byAccount = Map.groupBy(posts, ({ text }) => accountOf.get(text) ?? "");
  return [...byAccount].flatMap(([account, all]) => {
    const times = all.map(({ at }) => at).sort((a, b) => a - b);
    const isOver = times.some(
      (at, i) => at - (times[i - cap] ?? Number.NEGATIVE_INFINITY) < DAY_MS,
    );
    return isOver ? [`${account}: ${all.length} posts`] : [];
  });
}

export const duplicates = (arrivals: readonly Arrival[]): number =>
  arrivals.length - new Set(arrivals.map(({ text }) => text)).size;
