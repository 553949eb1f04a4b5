import type { Call } from "../kit/simulator.ts";
import { type SteeredRefusals, steer } from "../kit/steered.ts";
import { type Reply, withoutExpiry } from "../kit/steering.ts";
import { rateLimited, refusal, tooLarge, unauthorized, unknownWebhook } from "./call.ts";
import type { Place } from "./world.ts";

/** Longer than a back-off. */
const LIMIT_SECONDS = 3_600.5;

const refusalsFor = ({ isWebhook }: Place): SteeredRefusals => ({
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

/** @throws Refusal when the text requests a failure */
export function steerMessage(call: Call, place: Place, content: string): Reply {
  const { world, token } = place;
  const text = withoutExpiry(content);
  return steer(call.env, refusalsFor(place), { key: world.channelId, text, token });
}
