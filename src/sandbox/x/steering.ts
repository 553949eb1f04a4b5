import { now } from "../../core/clock.ts";
import { SECOND } from "../../core/time.ts";
import { forcedFailure } from "../kit/simulator.ts";
import type { Verdict } from "../kit/steering.ts";
import { forbidden, unauthorized, XError } from "./call.ts";

/** The window of X's rate limits. Source: X, "Rate limits". */
const WINDOW_SECONDS = 900;

const unavailable = () =>
  new XError({ status: 503, title: "Service Unavailable", detail: "Service Unavailable" });

const tooMany = () =>
  new XError({
    status: 429,
    title: "Too Many Requests",
    detail: "Too Many Requests",
    headers: {
      "x-rate-limit-limit": "100",
      "x-rate-limit-remaining": "0",
      "x-rate-limit-reset": String(Math.ceil(now().getTime() / SECOND) + WINDOW_SECONDS),
    },
  });

/** What steering makes of a post that is not accepted. */
export function refuseAsSteered(verdict: Exclude<Verdict, { kind: "accepted" }>): Response {
  if (verdict.kind === "token_refused") return unauthorized().toResponse();
  if (verdict.kind === "server_error") return unavailable().toResponse();
  switch (verdict.code) {
    case "rate_limited":
      return tooMany().toResponse();
    case "account_disconnected":
      return forbidden(
        "Your account is suspended and is not permitted to access this feature.",
      ).toResponse();
    case "content_flagged":
      return forbidden(
        "This request looks like it might be automated. To protect our users from spam and other malicious activity, we can't complete this action right now.",
      ).toResponse();
    case "media_invalid":
      return forbidden(
        "This user is not allowed to post a video longer than 2 minutes.",
      ).toResponse();
    case "platform_unavailable":
      return new XError({
        status: 402,
        title: "CreditsDepleted",
        detail: "Your enrolled account does not have any credits to fulfill this request.",
      }).toResponse();
    case "unknown":
      return forbidden("You are not permitted to perform this action.").toResponse();
    default:
      return forcedFailure({
        code: verdict.code,
        message: `The sandbox was asked for this failure: ${verdict.code}.`,
      }).toResponse();
  }
}
