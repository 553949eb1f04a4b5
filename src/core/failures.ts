/** Source: spec, "Failure object". */
export const NEXT_ACTIONS = [
  "retry_later",
  "reconnect_account",
  "retry",
  "replace_media",
  "edit_post",
  "check_platform",
  "none",
] as const;

interface FailureRule {
  retryable: boolean;
  nextAction: (typeof NEXT_ACTIONS)[number];
}

/** Source: spec, "Failure object", the table. */
export const FAILURES = {
  rate_limited: { retryable: true, nextAction: "retry_later" },
  account_disconnected: { retryable: true, nextAction: "reconnect_account" },
  platform_unavailable: { retryable: true, nextAction: "retry" },
  queue_expired: { retryable: true, nextAction: "retry" },
  unknown: { retryable: true, nextAction: "retry" },
  media_invalid: { retryable: false, nextAction: "replace_media" },
  media_unreachable: { retryable: false, nextAction: "replace_media" },
  content_flagged: { retryable: false, nextAction: "edit_post" },
  platform_processing_timeout: { retryable: false, nextAction: "check_platform" },
  cancelled: { retryable: false, nextAction: "none" },
} as const satisfies Record<string, FailureRule>;

/** For a post with unknown outcome (`platform_processing_timeout`). */
export const LOOK_FIRST =
  "Look at the platform first: the post may be there, and a retry would publish it twice. If it is not there, retry with force: true.";

export type FailureCode = keyof typeof FAILURES;

export const FAILURE_CODES = Object.keys(FAILURES) as [FailureCode, ...FailureCode[]];

export interface Failure {
  code: FailureCode;
  /** The platform's own message, if any; shown as `errorMessage`. */
  message: string;
  retryAfterSeconds?: number;
}

export function toFailureObject(code: FailureCode) {
  return { code, ...FAILURES[code] };
}

/** Ends a publish attempt with a final reason. */
export class PublishFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Waits before a transient failure is tried again, in seconds. Source: spec, "Upload status". */
export const BACKOFF_SECONDS = [30, 120, 600] as const;
