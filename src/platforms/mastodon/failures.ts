import {
  BUSY,
  DISCONNECTED,
  GONE,
  INVALID,
  isOutage,
  NOT_YET,
  type Rule,
  refusalJudge,
  UNAVAILABLE,
  UNKNOWN,
} from "../kit/refusals.ts";
import { toWait } from "../kit/replies.ts";
import type { MastodonRefusal } from "./api.ts";

/** A login that ended, or whose app the server forgot. Source: Mastodon, "API methods", "401: Unauthorized". */
export const isTokenRefusal = ({ status }: Pick<MastodonRefusal, "status">): boolean =>
  status === 401;

/** Source: Mastodon, "OAuth Scopes"; GoToSocial; Hollo; Friendica, whose words are for ended logins too. */
const LACKS_SCOPE = /scope|permissions? |valid user/i;

/** The login stands, and the account is held by its server. Source: mastodon/mastodon, `base_controller.rb`; GoToSocial. */
const HELD = /currently disabled|pending approval|confirmed e-?mail|two-factor|moved/i;

const AT_SERVER: Rule = {
  ...UNKNOWN,
  advice:
    "Sign in at the account's server, which says what to do. The account need not be connected again.",
};

/** Without words, a firewall answered. */
function ruleOfForbidden(words: string | null): Rule {
  if (words === null) return UNAVAILABLE;
  if (HELD.test(words)) return AT_SERVER;
  if (LACKS_SCOPE.test(words)) return DISCONNECTED;
  return /mime type|account size/i.test(words) ? INVALID : UNKNOWN;
}

/** Nothing was posted. Source: Mastodon, `media_attachments.validations.not_ready`. */
const NOT_READY = /not finished processing/i;

/** Source: Mastodon, `statuses.errors.in_reply_not_found`. */
const NO_PARENT = /reply to/i;

/**
 * An earlier call may have made the post: it has the files, or the server remembers the key and not what became of it.
 * Source: Mastodon, `media_attachments.validations.not_found`; Pixelfed, `ApiV1Controller::statusCreate`.
 */
export const isPerhapsOurs = ({ status, name }: MastodonRefusal): boolean =>
  (status === 422 && /already attached/i.test(name ?? "")) ||
  (status === 400 && /idempotency key/i.test(name ?? ""));

/** GoToSocial gave up on a slow call. */
const CLOSED_EARLY = 499;

const isWrong = ({ status }: MastodonRefusal): boolean => status === 422 || status === 400;

const ABOUT_FILES =
  /\b(?:file|media|attachment|image|video|thumbnail)\b|content type|supported format|too (?:big|large)|dimensions/i;

function waitSeconds({ resetsAt, retryAfter }: MastodonRefusal, now: Date): number | null {
  const after = Number(retryAfter ?? Number.NaN);
  const reset = (Date.parse(resetsAt ?? "") - now.getTime()) / 1_000;
  const wait = [after, reset].find((seconds) => seconds > 0);
  return wait === undefined ? null : toWait(wait);
}

function ruleOf(refusal: MastodonRefusal): Rule | undefined {
  const { status, name, message } = refusal;
  if (status === 429) return BUSY;
  if (status === 403) return ruleOfForbidden(name);
  if (NOT_READY.test(message)) return NOT_YET;
  if (isPerhapsOurs(refusal)) return GONE;
  if (status === 413 || (isWrong(refusal) && ABOUT_FILES.test(message))) return INVALID;
  if (status === 404 && NO_PARENT.test(message)) return UNKNOWN;
  // A proxy answers so while the server itself is down.
  return status === 404 || status === CLOSED_EARLY ? UNAVAILABLE : undefined;
}

/** Connecting the account again helps. */
export const isLoginLost = (refusal: MastodonRefusal): boolean =>
  isTokenRefusal(refusal) || ruleOf(refusal)?.code === DISCONNECTED.code;

export const { isUndecided, isTemporary, toRefused, toUnknowable } = refusalJudge<MastodonRefusal>({
  isTokenRefusal,
  ruleOf,
  isUndecided: (refusal) => isOutage(refusal) || refusal.status === CLOSED_EARLY,
  waitSeconds: (rule, refusal, now) => (rule === BUSY ? waitSeconds(refusal, now) : null),
});
