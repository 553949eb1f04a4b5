import * as z from "zod";
import { now } from "../../core/clock.ts";
import { isSigned } from "../../core/signature.ts";
import { HOUR, MINUTE, SECOND } from "../../core/time.ts";
import type { Withdrawals } from "../consent.ts";
import { parseJson } from "../kit/replies.ts";

/**
 * TikTok repeats messages for 72 hours. A late repeat does not disconnect accounts connected after the event. Source:
 * TikTok, "Webhooks Overview", delivery.
 */
const MAX_AGE_MS = 72 * HOUR;
const CLOCK_SKEW_MS = 5 * MINUTE;

/** `t` is in seconds. Source: TikTok, "Webhook Verification". */
const SIGNATURE = /^t=(\d{1,12}),\s*s=([0-9a-f]{64})$/;

/** Ignored, because the account may be connected again. */
const REVOKED_BY_APP = 5;

const message = z.object({
  event: z.string(),
  create_time: z.number().positive(),
  user_openid: z.string().min(1).nullish().catch(null),
  content: z
    .string()
    .transform((text) => z.object({ reason: z.number() }).safeParse(parseJson(text)).data?.reason)
    .optional()
    .catch(undefined),
});

/**
 * TikTok sends all events to one URL; only withdrawn consents matter.
 * @see https://developers.tiktok.com/doc/webhooks-verification
 * @see https://developers.tiktok.com/doc/webhooks-events
 */
export const read: Withdrawals["read"] = async ({ headers, body }, clientSecret) => {
  const [, sentAt = "", signature = ""] =
    SIGNATURE.exec(headers.get("tiktok-signature") ?? "") ?? [];
  if (!signature || !(await isSigned(clientSecret, `${sentAt}.${body}`, signature))) return null;
  const ageMs = now().getTime() - Number(sentAt) * SECOND;
  if (ageMs > MAX_AGE_MS || ageMs < -CLOCK_SKEW_MS) return null;
  const notice = message.safeParse(parseJson(body)).data;
  if (!notice) return { platformUserId: null, at: null };
  const { event, create_time, user_openid = null, content: reason } = notice;
  const isWithdrawn = event === "authorization.removed" && reason !== REVOKED_BY_APP;
  return {
    platformUserId: isWithdrawn ? user_openid : null,
    at: new Date(create_time * SECOND),
  };
};
