import type { Call } from "../kit/simulator.ts";
import { type SteeredRefusals, steer } from "../kit/steered.ts";
import type { Reply } from "../kit/steering.ts";
import { rateLimited, refusal, tooLarge, unauthorized, unknownWebhook } from "./call.ts";
import type { Caller } from "./world.ts";

/** Longer than a back-off. */
const LIMIT_SECONDS = 3_600.5;

const refusals = (isWebhook: boolean): SteeredRefusals => ({
  expiredToken: unauthorized,
  serverError: (nth) =>
    nth % 2 === 1
      ? refusal(500, 0, "500: Internal Server Error")
      : refusal(503, 130000, "API resource is currently overloaded. Try again a little later"),
  failures: {
    rate_limited: () => rateLimited(LIMIT_SECONDS),
    account_disconnected: isWebhook ? unknownWebhook : unauthorized,
    content_flagged: () => refusal(403, 200000, "Message was blocked by automatic moderation"),
    media_invalid: tooLarge,
  },
});

/** Tokens of Discord do not end by themselves. */
const ENDLESS = /\[sandbox:token_expired\]/g;

/** @throws Refusal when the text requests a failure */
export const steerMessage = (
  call: Call,
  { world, token }: Caller,
  isWebhook: boolean,
  content: string,
): Reply => {
  const text = content.replace(ENDLESS, "");
  return steer(call.env, refusals(isWebhook), { key: world.channelId, text, token });
};
