import type { SteeredRefusals } from "../kit/steered.ts";
import { shareWords } from "../kit/steering.ts";
import { tokenInvalid } from "./accounts.ts";
import { refusal } from "./call.ts";

/** For a video's last chunk, or for the call that sends photos. */
const DELIVERY_WORD = /\[sandbox:(?:5xx=\d+|lost_reply)\]/g;
export const { openingWords, deliveryWords } = shareWords(DELIVERY_WORD);

/** @param isPulled whether TikTok fetches the files */
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
