import { now } from "../../core/clock.ts";
import { SECOND } from "../../core/time.ts";
import type { SteeredRefusals } from "../kit/steered.ts";
import { forbidden, problem, unauthorized } from "./call.ts";

/** Source: X, "Rate limits". */
const WINDOW_SECONDS = 900;

const unavailable = () =>
  problem({ status: 503, title: "Service Unavailable", detail: "Service Unavailable" });

const tooMany = () =>
  problem({
    status: 429,
    title: "Too Many Requests",
    detail: "Too Many Requests",
    headers: {
      "x-rate-limit-limit": "100",
      "x-rate-limit-remaining": "0",
      "x-rate-limit-reset": String(Math.ceil(now().getTime() / SECOND) + WINDOW_SECONDS),
    },
  });

export const REFUSALS: SteeredRefusals = {
  expiredToken: unauthorized,
  serverError: unavailable,
  failures: {
    rate_limited: tooMany,
    account_disconnected: () =>
      forbidden("Your account is suspended and is not permitted to access this feature."),
    content_flagged: () =>
      forbidden(
        "This request looks like it might be automated. To protect our users from spam and other malicious activity, we can't complete this action right now.",
      ),
    media_invalid: () =>
      forbidden("This user is not allowed to post a video longer than 2 minutes."),
    platform_unavailable: () =>
      problem({
        status: 402,
        title: "CreditsDepleted",
        detail: "Your enrolled account does not have any credits to fulfill this request.",
      }),
    unknown: () => forbidden("You are not permitted to perform this action."),
  },
};
