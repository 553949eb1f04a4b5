import type { FailureCode } from "../../core/failures.ts";
import type { SteeredRefusals } from "../kit/steered.ts";
import { readSteering, type Verdict } from "../kit/steering.ts";
import { invalidCredentials } from "./accounts.ts";
import { refusal } from "./call.ts";

/** A word about the last chunk, which makes the video, or about what YouTube makes of it. */
const DELIVERY_WORD =
  /\[sandbox:(?:5xx=\d+|lost_reply|content_flagged|media_invalid|platform_unavailable)\]/g;
/** It is the processing that is slow at YouTube, never the answer. */
const SLOW_WORD = /\[sandbox:slow=\d+\]/g;

/** The words for the call that opens an upload. */
export const openingWords = (text: string): string =>
  text.replace(DELIVERY_WORD, "").replace(SLOW_WORD, "");

/** The words for the last chunk. */
export const deliveryWords = (text: string): string =>
  [...text.matchAll(DELIVERY_WORD)].map(([word]) => word).join(" ");

/** Simulated processing time of a video. */
const PROCESSING_SECONDS = 3;

export const processingSeconds = (text: string): number =>
  readSteering(text).slowSeconds || PROCESSING_SECONDS;

/** The result of processing a video that YouTube does not take. */
export interface Finding {
  uploadStatus: "failed" | "rejected";
  reason: string;
}

const FINDINGS: Partial<Record<FailureCode, Finding>> = {
  content_flagged: { uploadStatus: "rejected", reason: "copyright" },
  media_invalid: { uploadStatus: "failed", reason: "codec" },
  platform_unavailable: { uploadStatus: "failed", reason: "uploadAborted" },
};

/** The finding that the text asks for; null for what is refused before a video is processed. */
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
