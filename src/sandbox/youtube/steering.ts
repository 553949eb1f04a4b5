import type { FailureCode } from "../../core/failures.ts";
import { forcedFailure } from "../kit/simulator.ts";
import { readSteering, type Verdict } from "../kit/steering.ts";
import { invalidCredentials } from "./accounts.ts";
import { YouTubeError } from "./call.ts";

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

/** How long the sandbox processes a video: to be waited for, short enough to be watched. */
const PROCESSING_SECONDS = 3;

export const processingSeconds = (text: string): number =>
  readSteering(text).slowSeconds || PROCESSING_SECONDS;

/** What YouTube says of a video after looking through it. */
export interface Finding {
  uploadStatus: "failed" | "rejected";
  reason: string;
}

const FINDINGS: Partial<Record<FailureCode, Finding>> = {
  content_flagged: { uploadStatus: "rejected", reason: "copyright" },
  media_invalid: { uploadStatus: "failed", reason: "codec" },
  platform_unavailable: { uploadStatus: "failed", reason: "uploadAborted" },
};

/** Null for what is refused before YouTube looks at the video. */
export const findingOf = (verdict: Verdict): Finding | null =>
  (verdict.kind === "failure" && FINDINGS[verdict.code]) || null;

const asked = (code: string): string => `Refused because the text says [sandbox:${code}].`;

/** What steering makes of a call that is not accepted. */
export function refuseAsSteered(verdict: Exclude<Verdict, { kind: "accepted" }>): Response {
  const refuse = (status: number, reason: string, message: string) =>
    new YouTubeError(status, reason, message).toResponse();
  switch (verdict.kind) {
    case "token_refused":
      return invalidCredentials().toResponse();
    case "server_error":
      return refuse(503, "backendError", "Backend Error");
    case "failure":
      break;
  }
  const { code } = verdict;
  switch (code) {
    case "rate_limited":
      return refuse(400, "uploadLimitExceeded", asked(code));
    case "account_disconnected":
      return refuse(403, "authenticatedUserAccountSuspended", asked(code));
    case "unknown":
      return refuse(400, "invalidVideoMetadata", asked(code));
  }
  return forcedFailure({
    code,
    message: `The sandbox was asked for this failure: ${code}.`,
  }).toResponse();
}
