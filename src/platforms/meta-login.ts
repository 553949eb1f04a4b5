import * as z from "zod";
import { now } from "../core/clock.ts";
import { ok, type Result, refuse } from "../core/result.ts";
import { addSeconds } from "../core/time.ts";
import { refusedUrl } from "../core/url-policy.ts";
import type { Credentials, Fetch, LoginRefusal } from "./connector.ts";
import type { GraphJudge } from "./meta-failures.ts";
import { type GraphRefusal, readGraphReply } from "./meta-graph.ts";

/** Life of a long-lived token where the answer does not say. Source: Meta, "Business Login". */
const TOKEN_LIFE_SECONDS = 60 * 86_400;

const refreshed = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().positive().optional().catch(undefined),
});

type Judge = Pick<GraphJudge, "isLoginLost">;

export const toLoginRefusal = (refusal: GraphRefusal, judge: Judge): LoginRefusal => ({
  message: refusal.message,
  final: judge.isLoginLost(refusal),
});

/**
 * Another 60 days for a token that renews itself: there is no refresh token.
 *
 * @param platform its name as people know it
 */
export async function renewToken(
  fetch: Fetch,
  request: Request,
  platform: string,
  judge: Judge,
): Promise<Result<Credentials, LoginRefusal>> {
  const reply = await readGraphReply(await fetch(request), refreshed, platform);
  if (!reply.ok) return refuse(toLoginRefusal(reply.error, judge));
  const { access_token, expires_in = TOKEN_LIFE_SECONDS } = reply.value;
  return ok({
    accessToken: access_token,
    refreshToken: null,
    expiresAt: addSeconds(now(), expires_in),
  });
}

/** The address of a profile's picture, where it is one that everybody may fetch. */
export const publicPicture = (url: string | null | undefined): string | null =>
  url && refusedUrl(url) === null ? url : null;
