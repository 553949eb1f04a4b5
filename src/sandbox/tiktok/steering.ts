import type { SteeredRefusals } from "../kit/steered.ts";
import { readSteering } from "../kit/steering.ts";
import { tokenInvalid } from "./accounts.ts";
import { refusal } from "./call.ts";

/** A word about the call that makes the post; of a video that is the last chunk, of photos the init. */
const DELIVERY_WORD = /\[sandbox:(?:5xx=\d+|lost_reply)\]/g;
/** It is the processing that is slow at TikTok, never the answer. */
const SLOW_WORD = /\[sandbox:slow=\d+\]/g;

/** The words for the call that opens a video. */
export const openingWords = (text: string): string =>
  text.replace(DELIVERY_WORD, "").replace(SLOW_WORD, "");

/** The words for the last chunk of a video. */
export const deliveryWords = (text: string): string => [...text.matchAll(DELIVERY_WORD)].join(" ");

/** The words for a call that is both. */
export const allWords = (text: string): string => text.replace(SLOW_WORD, "");

/** Simulated processing time of a post. */
const PROCESSING_SECONDS = 3;

export const processingSeconds = (text: string): number =>
  readSteering(text).slowSeconds || PROCESSING_SECONDS;

/** @param isPulled whether TikTok fetches the files from addresses */
export const refusalsOf = ({ isPulled }: { isPulled: boolean }): SteeredRefusals => ({
  expiredToken: tokenInvalid,
  serverError: () => refusal(500, "internal_error", "Internal error. Please try again later."),
  failures: {
    rate_limited: (message) => refusal(403, "spam_risk_too_many_posts", message),
    account_disconnected: (message) => refusal(401, "scope_not_authorized", message),
    content_flagged: (message) => refusal(403, "spam_risk_user_banned_from_posting", message),
    media_invalid: (message) => refusal(400, "invalid_file_upload", message),
    unknown: (message) => refusal(400, "app_version_check_failed", message),
    media_unreachable: isPulled
      ? (message) => refusal(403, "url_ownership_unverified", message)
      : undefined,
  },
});
