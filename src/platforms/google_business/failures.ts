import {
  BUSY,
  DISCONNECTED,
  FLAGGED,
  INVALID,
  type Rule,
  refusalJudge,
  UNAVAILABLE,
  UNKNOWN,
  UNREACHABLE,
} from "../kit/refusals.ts";
import type { GoogleRefusal } from "./api.ts";

const STEPS = "at /app/setup/google_business";

/** @see https://developers.google.com/my-business/content/limits */
const NOT_APPROVED: Rule = {
  code: "unknown",
  advice: `Google has not approved this instance's project: its quota is 0. The instance's owner applies as the step “Apply for access” ${STEPS} says; a request for more quota does not help.`,
};

const API_NAMES: Record<string, string> = {
  "mybusiness.googleapis.com": "Google My Business API",
  "mybusinessaccountmanagement.googleapis.com": "My Business Account Management API",
  "mybusinessbusinessinformation.googleapis.com": "My Business Business Information API",
};

const apiOff = (service: string | null): Rule => ({
  code: "unknown",
  advice: `The instance's owner enables the ${API_NAMES[service ?? ""] ?? "API"} in the Google Cloud console, as the step “Enable the APIs” ${STEPS} says. The account need not be connected again.`,
});

const NO_SCOPE: Rule = {
  ...DISCONNECTED,
  advice: "Connect the account again, and leave the box ticked.",
};

const RESTRICTED: Rule = {
  code: "unknown",
  advice:
    "Google restricts this profile: it may be unverified, suspended, or part of a chain that cannot publish by the API. Look at the profile at https://business.google.com.",
};

const MINUTE_SECONDS = 60;
const FETCH_FAILED = 1_000;

export const isNotFetched = ({ codes }: GoogleRefusal): boolean => codes.includes(FETCH_FAILED);

/** Source: Google, "ErrorCode". Photos are 1000 to 1099, operations 1300 to 1399. */
function ruleOfCode(code: number): Rule {
  if (code === FETCH_FAILED) return UNREACHABLE;
  if (code > FETCH_FAILED && code < 1_100) return INVALID;
  return code >= 1_300 && code < 1_400 ? RESTRICTED : FLAGGED;
}

/** Google may send the name of a code in place of its number. */
const BY_NAME: [RegExp, Rule][] = [
  [/PHOTO_FETCH_FAILED/, UNREACHABLE],
  [/PHOTO_UPLOAD_FAILED/, INVALID],
  [
    /LOCATION_DISABLED_FOR_LOCAL_POST_API|OPERATION_UNSUPPORTED_UNDER_ACCOUNT_CONDITION/,
    RESTRICTED,
  ],
];

function ruleOf(refusal: GoogleRefusal): Rule | undefined {
  const { status, reason, service, quota, codes, message, isForeign } = refusal;
  if (status === 429) return quota === "0" ? NOT_APPROVED : BUSY;
  if (status === 409) return UNAVAILABLE;
  if (reason === "invalid_grant") return DISCONNECTED;
  if (status === 403) {
    if (reason === "SERVICE_DISABLED") return apiOff(service);
    return reason === "ACCESS_TOKEN_SCOPE_INSUFFICIENT" ? NO_SCOPE : DISCONNECTED;
  }
  if (status === 404) return isForeign ? UNKNOWN : DISCONNECTED;
  if (status !== 400) return undefined;
  const named = BY_NAME.find(([words]) => words.test(message))?.[1];
  const [code] = codes;
  return named ?? (code === undefined ? undefined : ruleOfCode(code));
}

export const { isTokenRefusal, isUndecided, isTemporary, toRefused, toUnknowable } =
  refusalJudge<GoogleRefusal>({
    isTokenRefusal: ({ status, reason }) => status === 401 && reason !== "invalid_client",
    ruleOf,
    waitSeconds: (rule, { retryAfterSeconds }) =>
      rule === BUSY ? (retryAfterSeconds ?? MINUTE_SECONDS) : retryAfterSeconds,
  });

/** The instance's project is refused, and not the login. */
export const isAboutProject = (refusal: GoogleRefusal): boolean =>
  refusal.quota === "0" || refusal.reason === "SERVICE_DISABLED";

/** With the advice of its rule. */
export function explain(refusal: GoogleRefusal): string {
  const refused = toRefused(refusal);
  return refused.kind === "failed" ? refused.failure.message : refusal.message;
}
