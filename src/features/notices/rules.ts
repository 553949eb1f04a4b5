import type { NoticeKind } from "../../core/notices.ts";
import { DAY, HOUR, MINUTE } from "../../core/time.ts";

/** The kind of notice of each occurrence. */
export const KIND_OF = {
  "upload.approved": "reviewDecisions",
  "upload.changes_requested": "reviewDecisions",
  "upload.failed": "failures",
  "webhook.disabled": "disabledWebhooks",
  "login.ending": "endingLogins",
  "domain.ending": "endingDomains",
  "domain.ended": "endingDomains",
  "slot.waiting": "endingLogins",
} as const satisfies Record<string, NoticeKind>;

export type NoticeName = keyof typeof KIND_OF;

/** Returns true for an event of which a trigger of the database leaves a notice. */
export const isNoticed = (event: string): boolean => Object.hasOwn(KIND_OF, event);

/** Names a domain in the rows of its notices. */
export const domainSubject = (id: number): string => `dom_${id}`;

/** Waits before attempts 2 to 6, in milliseconds. Spec is silent. */
const RETRY_DELAYS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR] as const;

/** An older notice is not sent any more. Spec is silent. */
const TOLD_WITHIN_MS = DAY;

/** Returns true for a notice that is too late to be sent. */
export const isStale = ({ createdAt }: { createdAt: Date }, now: Date): boolean =>
  now.getTime() - createdAt.getTime() >= TOLD_WITHIN_MS;

/**
 * When a notice is tried again after the failed `attempt` (1 is the first); null when it was the last.
 *
 * @param askedMs how long the receiver asked to be left alone, at least
 */
export function retryAt(attempt: number, now: Date, askedMs = 0): Date | null {
  const delay = RETRY_DELAYS[attempt - 1];
  return delay === undefined ? null : new Date(now.getTime() + Math.max(delay, askedMs));
}

/** The address as it is shown: what is behind its host is the secret. */
export const maskAddress = (url: string): string => `${new URL(url).origin}/…`;

/** How long a receiver is waited for. */
export const ANSWER_MS = 10_000;

/** Browsers of one person: the one that was added first makes room for another. Spec is silent. */
export const MAX_BROWSERS = 20;

/** An instant as mails write it: `2026-12-08, 09:00 UTC`. */
const inWords = (at: Date | null): string =>
  at === null ? "" : `${at.toISOString().slice(0, 16).replace("T", ", ")} UTC`;

/** Says when a login ends that nothing renews, and what to do. */
export const describeEnding = ({ loginEndsAt }: { loginEndsAt: Date | null }): string =>
  `The login ends on ${inWords(loginEndsAt)} and was not renewed. Connect the account again before then.`;
