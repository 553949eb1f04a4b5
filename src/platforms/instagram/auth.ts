import { ok, type Result, refuse } from "../../core/result.ts";
import type { AppKeys, Connected, Credentials, Fetch, LoginRefusal } from "../connector.ts";
import { exchangeToken, publicPicture, renewToken, toLoginRefusal } from "../meta/login.ts";
import { exchangeTokenRequest, getMeRequest, readGetMeReply, refreshTokenRequest } from "./api.ts";
import { judge } from "./failures.ts";

/** A token of one's own, exchanged for a long-lived one where it is none. */
export async function adopt(
  fetch: Fetch,
  credentials: Credentials,
  app: AppKeys | null,
): Promise<Result<Connected, LoginRefusal>> {
  if (!app) return identify(fetch, credentials);
  const request = exchangeTokenRequest(credentials.accessToken, app.clientSecret);
  const lasting = await exchangeToken(fetch, request, credentials, "Instagram", judge);
  return lasting.ok ? identify(fetch, lasting.value) : lasting;
}

/** Whose token it is. There is no refresh token: the access token renews itself. */
export async function identify(
  fetch: Fetch,
  credentials: Credentials,
): Promise<Result<Connected, LoginRefusal>> {
  const reply = await readGetMeReply(await fetch(getMeRequest(credentials.accessToken)));
  if (!reply.ok) return refuse(toLoginRefusal(reply.error, judge));
  const { user_id, username, name, profile_picture_url: picture } = reply.value;
  return ok({
    profile: {
      platformAccountId: user_id,
      accountName: name?.trim() || username,
      handle: username,
      profileImageUrl: publicPicture(picture),
      service: null,
    },
    credentials: { ...credentials, refreshToken: null },
  });
}

/**
 * Another 60 days. A token that has run out cannot be renewed, and one younger than 24 hours needs
 * not be: that refusal is not final.
 */
export const refresh = (
  fetch: Fetch,
  { accessToken }: Credentials,
): Promise<Result<Credentials, LoginRefusal>> =>
  renewToken(fetch, refreshTokenRequest(accessToken), "Instagram", judge);

/** Nothing to call: Instagram Login has no documented way to give a token back. */
export async function revoke(): Promise<void> {}
