import type { FailureCode } from "../../core/failures.ts";
import type { Refused } from "../connector.ts";
import { BUSY, failed, type Rule, refusalJudge, UNAVAILABLE } from "../kit/refusals.ts";
import type { TikTokRefusal } from "./api.ts";

/** TikTok limits calls per minute, without telling the time left. */
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

/** @see https://developers.tiktok.com/doc/content-sharing-guidelines */
const UNAUDITED_USERS = 5;

export const UNAUDITED = "unaudited_client_can_only_post_to_private_accounts";

const MISSING_SCOPE =
  "Connect the account again, and leave every permission switched on. If TikTok does not offer one there, the instance's owner adds it to the app in TikTok's portal and to APP_SCOPES: drafts need video.upload.";

const ADVICE = new Map<string, string>([
  [
    UNAUDITED,
    "TikTok has not audited this instance's app, and the account is not private. Make it private in TikTok's app, then retry the post. After the audit, public accounts can post. Drafts (post_mode DRAFT) need neither: an app for your own accounts alone, which TikTok does not audit, sends those.",
  ],
  [
    "reached_active_user_cap",
    `As many accounts have posted through this instance's app in 24 hours as TikTok allows: ${UNAUDITED_USERS} before its audit, after it what the audit granted. Retry the post tomorrow, or send drafts (post_mode DRAFT).`,
  ],
  ["scope_not_authorized", MISSING_SCOPE],
  ["scope_permission_missed", MISSING_SCOPE],
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
