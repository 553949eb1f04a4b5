import { formatCount } from "../../core/counts.ts";
import { AppError, type ErrorCode } from "../../core/errors.ts";
import { isSigned, sign } from "../../core/signature.ts";
import { BROKEN_TEXT, isBrokenText, isLongerThan } from "../../core/text.ts";
import type { Deps } from "../../deps.ts";
import { clientOf } from "../activity/repo.ts";
import { isAwaiting, type Review, type ShownPost } from "./find.ts";
import { MAX_NOTE_CHARACTERS } from "./rules.ts";

const loadDecisions = () => import("../approval/decide.ts");

const proofText = (linkId: number): string => `review form|${linkId}`;

/** A form field against forged requests. */
export const proofOf = ({ config }: Pick<Deps, "config">, linkId: number): Promise<string> =>
  sign(config.signingKey, proofText(linkId));

export const isProof = (
  { config }: Pick<Deps, "config">,
  linkId: number,
  proof: string,
): Promise<boolean> => isSigned(config.signingKey, proofText(linkId), proof);

export interface Refusal {
  status: 400 | 404 | 409 | 410;
  text: string;
}

const TELL_SENDER = "Tell the person who sent you the link.";

const CHANGED: Refusal = {
  status: 409,
  text: "This post was changed after you opened the page. This is how it is now: look at it again, then decide.",
};

const REMOVED: Refusal = {
  status: 410,
  text: "The team has removed this post, so there is nothing to decide on any more.",
};

const DECIDED: Refusal = {
  status: 409,
  text: "This was decided already, here or by the team. Nothing was changed.",
};

const conflict = (text: string): Refusal => ({ status: 409, text });

const BUSY = conflict("Too many posts are being published right now. Try again in a few minutes.");

/** What the reviewing client reads, by error code. */
const WORDS: Partial<Record<ErrorCode, Refusal>> = {
  NOT_FOUND: REMOVED,
  NOT_REVIEWABLE: DECIDED,
  POST_CHANGED: CHANGED,
  MEDIA_PENDING: conflict(
    "A file of this post is still being fetched, so it cannot be approved yet. Open the page again in a minute: it shows the file then.",
  ),
  MEDIA_UNREACHABLE: conflict(
    `This post cannot be approved: a file of it could not be fetched. ${TELL_SENDER}`,
  ),
  ACCOUNT_INACTIVE: conflict(
    `This post cannot be approved now: the account that it is for is not connected. ${TELL_SENDER}`,
  ),
  DAILY_LIMIT: conflict(
    "This post cannot be approved now: the account has as many posts today as its platform takes. Try again tomorrow.",
  ),
  PLAN_LIMIT: conflict(
    `This post cannot be approved now: the team has used up its posts for that month. ${TELL_SENDER}`,
  ),
  QUEUE_FULL: BUSY,
  QUEUE_BUSY: BUSY,
};

const UNFIT = conflict(
  `This post cannot be approved as it is: its platform would refuse it. Ask for changes, or tell the person who sent you the link.`,
);

/** @throws errors that are no refusal */
export function refusalInWords(error: unknown): Refusal {
  if (!(error instanceof AppError) || error.status >= 500) throw error;
  return (error.code && WORDS[error.code]) ?? UNFIT;
}

function refusalOf(post: ShownPost, seen: string): Refusal | null {
  if (post.deletedAt !== null) return REMOVED;
  if (!isAwaiting(post)) return DECIDED;
  return post.seen === seen ? null : CHANGED;
}

export function noteRefusal(note: string): string | null {
  if (note === "") return "Write what should be changed, then send the note.";
  if (isBrokenText(note)) return `The note ${BROKEN_TEXT}. Write it once more.`;
  if (!isLongerThan(note, MAX_NOTE_CHARACTERS)) return null;
  return `The note has more than ${formatCount(MAX_NOTE_CHARACTERS)} characters. Shorten it, then send it again: it is still in its field.`;
}

/** `note`: null approves the post. */
export interface Decision {
  post: ShownPost;
  /** The version on the client's page. */
  seen: string;
  note: string | null;
}

export async function decideOn(
  deps: Deps,
  { link: { id, teamId } }: Review,
  { post, seen, note }: Decision,
): Promise<Refusal | null> {
  const refusal = refusalOf(post, seen);
  if (refusal) return refusal;
  const unsent = note === null ? null : noteRefusal(note);
  if (unsent) return { status: 400, text: unsent };
  const { approveUpload, requestChanges } = await loadDecisions();
  const work = { deps, teamId, by: clientOf(id, "A client") };
  try {
    if (note === null) await approveUpload(work, post.id, { by: "client" }, seen);
    else await requestChanges(work, post.id, { by: "client" }, note, seen);
    return null;
  } catch (error) {
    return refusalInWords(error);
  }
}

/** Ids and versions that the client saw, such as `12:9f86… 13:60a3…`. */
export const shownPosts = (posts: readonly ShownPost[]): string =>
  posts.map(({ id, seen }) => `${id}:${seen}`).join(" ");

/** Returns refusals by post id. */
export async function approveAll(
  deps: Deps,
  { link: { id, teamId }, posts }: Review,
  shown: string,
): Promise<Map<number, Refusal>> {
  const refused = new Map<number, Refusal>();
  const versions = new Map(
    shown.split(" ").map((one) => one.split(":", 2) as [id: string, seen: string]),
  );
  const decidable: { id: number; seen: string }[] = [];
  for (const post of posts) {
    const seen = versions.get(String(post.id));
    if (seen === undefined) continue;
    const refusal = refusalOf(post, seen);
    if (refusal) refused.set(post.id, refusal);
    else decidable.push({ id: post.id, seen });
  }
  if (decidable.length === 0) return refused;
  const { approveUploads } = await loadDecisions();
  const work = { deps, teamId, by: clientOf(id, "A client") };
  for (const verdict of await approveUploads(work, decidable, { by: "client" })) {
    if ("refusal" in verdict) refused.set(verdict.uploadId, refusalInWords(verdict.refusal));
  }
  return refused;
}
