import type { FailureCode } from "../../core/failures.ts";
import type { Refused } from "../connector.ts";
import { BUSY, failed, type Rule, refusalJudge, UNAVAILABLE } from "../kit/refusals.ts";
import type { TikTokRefusal } from "./api.ts";

/** TikTok limits calls per minute, and does not tell the time left. */
const RATE_LIMIT_SECONDS = 60;

/** Source: TikTok, the error tables of "Direct Post", "Photo Post" and "Upload Video". */
const API_ERRORS = new Map<string, FailureCode>([
  ["scope_not_authorized", "account_disconnected"],
  ["scope_permission_missed", "account_disconnected"],
  ["spam_risk_too_many_posts", "rate_limited"],
  ["spam_risk_too_many_pending_share", "rate_limited"],
  ["reached_active_user_cap", "rate_limited"],
  ["spam_risk_user_banned_from_posting", "content_flagged"],
  ["spam_risk", "content_flagged"],
  ["spam_risk_text", "content_flagged"],
  ["url_ownership_unverified", "media_unreachable"],
  ["invalid_file_upload", "media_invalid"],
]);

export const UNAUDITED = "unaudited_client_can_only_post_to_private_accounts";

const ADVICE = new Map<string, string>([
  [
    UNAUDITED,
    "Make the account private in TikTok's app, or have your TikTok app pass the Content Posting audit.",
  ],
  [
    "url_ownership_unverified",
    "Verify the domain of this instance in TikTok's developer portal, and set PUBLIC_URL to it.",
  ],
]);

/** Source: TikTok, "Get Post Status", `fail_reason`. */
const FAIL_REASONS = new Map<string, FailureCode>([
  ["file_format_check_failed", "media_invalid"],
  ["duration_check_failed", "media_invalid"],
  ["frame_rate_check_failed", "media_invalid"],
  ["picture_size_check_failed", "media_invalid"],
  ["video_pull_failed", "media_unreachable"],
  ["photo_pull_failed", "media_unreachable"],
  ["internal", "platform_unavailable"],
  ["auth_removed", "account_disconnected"],
  ["spam_risk_too_many_posts", "rate_limited"],
  ["spam_risk", "content_flagged"],
  ["spam_risk_text", "content_flagged"],
  ["spam_risk_user_banned_from_posting", "content_flagged"],
]);

/** TikTok uses both spellings. */
const INVALID_PARAMS = new Set(["invalid_param", "invalid_params"]);
const MEDIA_WORDING = /chunk|size|photo|video/i;

const isRateLimit = ({ status, code }: TikTokRefusal): boolean =>
  code === "rate_limit_exceeded" || (status === 429 && code === null);

const isServerTrouble = ({ status, code }: TikTokRefusal): boolean =>
  code === "internal_error" || status >= 500 || status === 408 || (code === null && status < 400);

function codeOf(code: string, message: string): FailureCode {
  if (INVALID_PARAMS.has(code)) return MEDIA_WORDING.test(message) ? "media_invalid" : "unknown";
  return API_ERRORS.get(code) ?? "unknown";
}

function ruleOf(refusal: TikTokRefusal): Rule | undefined {
  if (isRateLimit(refusal)) return BUSY;
  if (isServerTrouble(refusal)) return UNAVAILABLE;
  const { code, message } = refusal;
  return code === null ? undefined : { code: codeOf(code, message), advice: ADVICE.get(code) };
}

export const { isTokenRefusal, isUndecided, isTemporary, toRefused, toUnknowable } =
  refusalJudge<TikTokRefusal>({
    isTokenRefusal: ({ status, code }) =>
      code === "access_token_invalid" || (status === 401 && code === null),
    ruleOf,
    waitSeconds: (rule) => (rule === BUSY ? RATE_LIMIT_SECONDS : null),
    isUndecided: isServerTrouble,
  });

export const toGivenUp = (reason: string | null): Refused =>
  failed(
    FAIL_REASONS.get(reason ?? "") ?? "unknown",
    reason ? `TikTok did not publish the post: ${reason}.` : "TikTok did not publish the post.",
  );
