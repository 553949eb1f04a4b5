import { forcedFailure } from "../kit/simulator.ts";
import type { Verdict } from "../kit/steering.ts";
import { readSteering } from "../kit/steering.ts";
import { tokenInvalid } from "./accounts.ts";
import { TikTokError } from "./call.ts";

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

/** How long the sandbox processes a post: to be waited for, short enough to be watched. */
const PROCESSING_SECONDS = 3;

export const processingSeconds = (text: string): number =>
  readSteering(text).slowSeconds || PROCESSING_SECONDS;

const asked = (code: string): string => `Refused because the text says [sandbox:${code}].`;

/** What steering makes of a call that is not accepted. */
export function refuseAsSteered(
  verdict: Exclude<Verdict, { kind: "accepted" }>,
  isPulled: boolean,
): Response {
  const refuse = (status: number, code: string, message: string) =>
    new TikTokError(status, code, message).toResponse();
  switch (verdict.kind) {
    case "token_refused":
      return tokenInvalid().toResponse();
    case "server_error":
      return refuse(500, "internal_error", "Internal error. Please try again later.");
    case "failure":
      break;
  }
  const { code } = verdict;
  switch (code) {
    case "rate_limited":
      return refuse(403, "spam_risk_too_many_posts", asked(code));
    case "account_disconnected":
      return refuse(401, "scope_not_authorized", asked(code));
    case "content_flagged":
      return refuse(403, "spam_risk_user_banned_from_posting", asked(code));
    case "media_invalid":
      return refuse(400, "invalid_file_upload", asked(code));
    case "unknown":
      return refuse(400, "app_version_check_failed", asked(code));
    case "media_unreachable":
      if (isPulled) return refuse(403, "url_ownership_unverified", asked(code));
  }
  return forcedFailure({
    code,
    message: `The sandbox was asked for this failure: ${code}.`,
  }).toResponse();
}
