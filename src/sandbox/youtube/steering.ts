import type { FailureCode } from "../../core/failures.ts";
import type { SteeredRefusals } from "../kit/steered.ts";
import { shareWords, type Verdict } from "../kit/steering.ts";
import { invalidCredentials } from "./accounts.ts";
import { refusal } from "./call.ts";

/** For the last chunk or the processing. */
const DELIVERY_WORD =
  /\[sandbox:(?:5xx=\d+|lost_reply|content_flagged|media_invalid|platform_unavailable)\]/g;
export const { openingWords, deliveryWords } = shareWords(DELIVERY_WORD);

/** Why YouTube does not publish a processed video. */
export interface Finding {
  uploadStatus: "failed" | "rejected";
  reason: string;
}

const FINDINGS: Partial<Record<FailureCode, Finding>> = {
  content_flagged: { uploadStatus: "rejected", reason: "copyright" },
  media_invalid: { uploadStatus: "failed", reason: "codec" },
  platform_unavailable: { uploadStatus: "failed", reason: "uploadAborted" },
};

/** Null when YouTube refuses the call itself. */
export const findingOf = (verdict: Verdict): Finding | null =>
  (verdict.kind === "failure" && FINDINGS[verdict.code]) || null;

export const REFUSALS: SteeredRefusals = {
  expiredToken: invalidCredentials,
  serverError: () => refusal(503, "backendError", "Backend Error"),
  failures: {
    rate_limited: (message) => refusal(400, "uploadLimitExceeded", message),
    account_disconnected: (message) => refusal(403, "authenticatedUserAccountSuspended", message),
    unknown: (message) => refusal(400, "invalidVideoMetadata", message),
  },
};
