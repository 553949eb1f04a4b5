import * as z from "zod";
import { now } from "../../core/clock.ts";
import { ok, type Result, refuse } from "../../core/result.ts";
import { addSeconds } from "../../core/time.ts";
import { refusedUrl } from "../../core/url-policy.ts";
import type { Credentials, Fetch, LoginRefusal } from "../connector.ts";
import type { GraphJudge } from "./failures.ts";
import { type GraphRefusal, readGraphReply } from "./graph.ts";

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

const toCredentials = ({
  access_token,
  expires_in = TOKEN_LIFE_SECONDS,
}: z.infer<typeof refreshed>): Credentials => ({
  accessToken: access_token,
  refreshToken: null,
  expiresAt: addSeconds(now(), expires_in),
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
  return reply.ok ? ok(toCredentials(reply.value)) : refuse(toLoginRefusal(reply.error, judge));
}

/** A token younger than this cannot be renewed, nor has to be. Source: Meta, "Long-lived tokens". */
const YOUNG_SECONDS = 86_400;

/** Returns true for a token that is known to be of the last day. */
export const isYoung = ({ expiresAt }: Credentials): boolean =>
  expiresAt !== null && expiresAt > addSeconds(now(), TOKEN_LIFE_SECONDS - YOUNG_SECONDS);

/** What ends within this may be a short-lived token. */
const SHORT_SECONDS = 86_400;

/**
 * Exchanges a token that may be one of an hour for one of 60 days. One that is long-lived already is
 * refused by the platform, and goes on as it is.
 *
 * @param platform its name as people know it
 */
export async function exchangeToken(
  fetch: Fetch,
  request: Request,
  credentials: Credentials,
  platform: string,
  judge: Pick<GraphJudge, "isPassing">,
): Promise<Result<Credentials, LoginRefusal>> {
  const { expiresAt } = credentials;
  if (expiresAt && expiresAt > addSeconds(now(), SHORT_SECONDS)) return ok(credentials);
  const reply = await readGraphReply(await fetch(request), refreshed, platform);
  if (reply.ok) return ok(toCredentials(reply.value));
  const { message } = reply.error;
  return judge.isPassing(reply.error) ? refuse({ message, final: false }) : ok(credentials);
}

/** The address of a profile's picture, where it is one that everybody may fetch. */
export const publicPicture = (url: string | null | undefined): string | null =>
  url && refusedUrl(url) === null ? url : null;
