import { forcedFailure } from "../kit/simulator.ts";
import type { Verdict } from "../kit/steering.ts";
import { expiredToken } from "./accounts.ts";
import { accessDenied, invalidValue, LinkedInError } from "./call.ts";

const asked = (code: string): string => `Refused because the text says [sandbox:${code}].`;

/** What steering makes of a post that is not accepted. */
export function refuseAsSteered(verdict: Exclude<Verdict, { kind: "accepted" }>): Response {
  switch (verdict.kind) {
    case "token_refused":
      return expiredToken().toResponse();
    case "server_error": {
      const isOdd = verdict.nth % 2 === 1;
      const [status, code] = isOdd ? [500, "INTERNAL_SERVER_ERROR"] : [503, "SERVICE_UNAVAILABLE"];
      return new LinkedInError(Number(status), String(code), "Try again later").toResponse();
    }
    case "failure":
      break;
  }
  const { code } = verdict;
  switch (code) {
    case "rate_limited":
      return new LinkedInError(429, "TOO_MANY_REQUESTS", asked(code), 101).toResponse();
    case "account_disconnected":
      return accessDenied(asked(code)).toResponse();
    case "content_flagged":
      // There is no other post to be named.
      return new LinkedInError(
        422,
        "UNPROCESSABLE_ENTITY",
        `Content is a duplicate. ${asked(code)}`,
      ).toResponse();
    case "media_invalid":
      return new LinkedInError(400, "MEDIA_ASSET_PROCESSING_FAILED", asked(code)).toResponse();
    case "platform_unavailable":
      return new LinkedInError(426, "NONEXISTENT_VERSION", asked(code)).toResponse();
    case "unknown":
      return invalidValue(asked(code)).toResponse();
    default:
      return forcedFailure({
        code,
        message: `The sandbox was asked for this failure: ${code}.`,
      });
  }
}
