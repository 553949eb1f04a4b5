import type { NoticeKind } from "../../core/notices.ts";
import { DAY, HOUR, MINUTE } from "../../core/time.ts";

export const KIND_OF = {
  "upload.approved": "reviewDecisions",
  "upload.changes_requested": "reviewDecisions",
  "upload.failed": "failures",
  "webhook.disabled": "disabledWebhooks",
  "login.ending": "endingLogins",
  "domain.ending": "endingDomains",
  "domain.ended": "endingDomains",
  "slot.waiting": "endingLogins",
  "database.filling": "fullDatabase",
  "backup.late": "failures",
} as const satisfies Record<string, NoticeKind>;

export type NoticeName = keyof typeof KIND_OF;

/** Database triggers create notices for these events. */
export const isNoticed = (event: string): boolean => Object.hasOwn(KIND_OF, event);

/** The subject of the notice that backups are late, of which an instance has one at a time. */
export const BACKUPS_SUBJECT = "backups";

export const domainSubject = (id: number): string => `dom_${id}`;

/** @param percent of the limit */
export const databaseSubject = (percent: number | string): string => `database_${percent}`;

/** Before attempts 2 to 6, in ms. Spec is silent. */
const RETRY_DELAYS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR] as const;

/** Maximum age of a notice. Spec is silent. */
const MAX_AGE_MS = DAY;

export const isStale = ({ createdAt }: { createdAt: Date }, now: Date): boolean =>
  now.getTime() - createdAt.getTime() >= MAX_AGE_MS;

/**
 * Null after the last attempt.
 *
 * @param askedMs minimum delay that the receiver requested
 */
export function retryAt(attempt: number, now: Date, askedMs = 0): Date | null {
  const delay = RETRY_DELAYS[attempt - 1];
  return delay === undefined ? null : new Date(now.getTime() + Math.max(delay, askedMs));
}

/** Hides the path: in a chat's webhook, it is secret. */
export const maskAddress = (url: string): string => `${new URL(url).origin}/…`;

export const ANSWER_MS = 10_000;

/** A further browser replaces the oldest. Spec is silent. */
export const MAX_BROWSERS = 20;

const inWords = (at: Date | null): string =>
  at === null ? "" : `${at.toISOString().slice(0, 16).replace("T", ", ")} UTC`;

interface Ending {
  /** Null when only the access to data ends. */
  loginEndsAt: Date | null;
  dataAccessEndsAt: Date | null;
}

export function describeEnding({ loginEndsAt, dataAccessEndsAt }: Ending): string {
  const facts = [
    ...(loginEndsAt ? [`The login ends on ${inWords(loginEndsAt)} and was not renewed.`] : []),
    ...(dataAccessEndsAt
      ? [`The platform lets this app use the account's data until ${inWords(dataAccessEndsAt)}.`]
      : []),
  ];
  return `${facts.join(" ")} Connect the account again before then.`;
}

export function describeLateBackups(finishedAt: Date | null): string {
  const since = finishedAt ? `since ${inWords(finishedAt)}` : "yet";
  return `No backup of the database was finished ${since}. The page /app/setup says why.`;
}
