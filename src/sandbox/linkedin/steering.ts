import type { SteeredRefusals } from "../kit/steered.ts";
import { expiredToken } from "./accounts.ts";
import { accessDenied, invalidValue, refusal } from "./call.ts";

export const REFUSALS: SteeredRefusals = {
  expiredToken,
  serverError: (nth) =>
    nth % 2 === 1
      ? refusal(500, "INTERNAL_SERVER_ERROR", "Try again later")
      : refusal(503, "SERVICE_UNAVAILABLE", "Try again later"),
  failures: {
    rate_limited: (message) => refusal(429, "TOO_MANY_REQUESTS", message, 101),
    account_disconnected: accessDenied,
    content_flagged: (message) =>
      refusal(422, "UNPROCESSABLE_ENTITY", `Content is a duplicate. ${message}`),
    media_invalid: (message) => refusal(400, "MEDIA_ASSET_PROCESSING_FAILED", message),
    platform_unavailable: (message) => refusal(426, "NONEXISTENT_VERSION", message),
    unknown: invalidValue,
  },
};
