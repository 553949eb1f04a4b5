import { ok, type Result, refuse } from "../../core/result.ts";
import type { AppKeys, Connected, Credentials, Fetch, LoginRefusal } from "../connector.ts";
import type { GraphRefusal } from "../meta/graph.ts";
import {
  exchangeToken,
  isYoung,
  publicPicture,
  renewToken,
  toLoginRefusal,
} from "../meta/login.ts";
import {
  exchangeTokenRequest,
  getMeRequest,
  NAME,
  readGetMeReply,
  refreshTokenRequest,
} from "./api.ts";
import { judge } from "./failures.ts";

/** A token of one's own, exchanged for a long-lived one where it is none. */
export async function adopt(
  fetch: Fetch,
  credentials: Credentials,
  app: AppKeys | null,
): Promise<Result<Connected, LoginRefusal>> {
  if (!app) return identify(fetch, credentials);
  const request = exchangeTokenRequest(credentials.accessToken, app.clientSecret);
  const lasting = await exchangeToken(fetch, request, credentials, NAME, judge);
  return lasting.ok ? identify(fetch, lasting.value) : lasting;
}

/** Whose token it is. There is no refresh token: the access token renews itself. */
export async function identify(
  fetch: Fetch,
  credentials: Credentials,
): Promise<Result<Connected, LoginRefusal>> {
  const reply = await readGetMeReply(await fetch(getMeRequest(credentials.accessToken)));
  if (!reply.ok) return refuse(toLoginRefusal(reply.error, judge));
  const { id, username, name, threads_profile_picture_url: picture } = reply.value;
  return ok({
    profile: {
      platformAccountId: id,
      accountName: name?.trim() || username,
      handle: username,
      profileImageUrl: publicPicture(picture),
      service: null,
    },
    credentials: { ...credentials, refreshToken: null },
  });
}

/**
 * Another 60 days. A token that has run out, or whose permission has, cannot be renewed whatever the
 * words; one younger than 24 hours needs not be, and that refusal is not final.
 */
export const refresh = (
  fetch: Fetch,
  credentials: Credentials,
): Promise<Result<Credentials, LoginRefusal>> => {
  const isLoginLost = (refusal: GraphRefusal): boolean =>
    judge.isLoginLost(refusal) || (!isYoung(credentials) && isDefinite(refusal));
  const request = refreshTokenRequest(credentials.accessToken);
  return renewToken(fetch, request, NAME, { isLoginLost });
};

const isDefinite = (refusal: GraphRefusal): boolean =>
  refusal.status >= 400 && refusal.status < 500 && !judge.isPassing(refusal);

/** Nothing to call: Threads has no documented way to give a token back. */
export async function revoke(): Promise<void> {}
