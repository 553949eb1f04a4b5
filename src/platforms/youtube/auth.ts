import { ok, type Result, refuse } from "../../core/result.ts";
import type { Connector, Fetch } from "../connector.ts";
import {
  callUnread,
  finalRefusal,
  formRequest,
  grantedTokens,
  isUnknownApp,
  refreshByGrant,
  toProfile,
} from "../kit/logins.ts";
import type { Connected, Credentials, LoginRefusal } from "../login.ts";
import {
  getChannelRequest,
  optionalText,
  readGetChannelReply,
  readReply,
  type YouTubeRefusal,
} from "./api.ts";
import { isTemporary } from "./failures.ts";

export const TOKENS = "https://oauth2.googleapis.com";

const isAboutQuota = ({ reason }: YouTubeRefusal): boolean =>
  reason === "quotaExceeded" || reason === "dailyLimitExceeded";

/** For an account without channel, YouTube may send this in place of an empty list. */
const NO_CHANNEL_REASON = "youtubeSignupRequired";

export const NO_CHANNEL = "This Google account has no YouTube channel.";

export async function identify(
  fetch: Fetch,
  credentials: Credentials,
): Promise<Result<Connected, LoginRefusal>> {
  const channel = await findChannel(fetch, credentials);
  if (!channel.ok) return channel;
  return channel.value ? ok(channel.value) : finalRefusal(NO_CHANNEL);
}

/** Null for a Google account without channel. */
export async function findChannel(
  fetch: Fetch,
  credentials: Credentials,
): Promise<Result<Connected | null, LoginRefusal>> {
  const request = getChannelRequest(credentials.accessToken, "id,snippet");
  const reply = await readGetChannelReply(await fetch(request));
  if (!reply.ok) {
    if (reply.error.reason === NO_CHANNEL_REASON) return ok(null);
    const isFinal = !isAboutQuota(reply.error) && !isTemporary(reply.error);
    return refuse({ message: reply.error.message, final: isFinal });
  }
  if (!reply.value) return ok(null);
  const { id, snippet } = reply.value;
  const profile = toProfile({
    id,
    name: snippet?.title,
    handle: snippet?.customUrl?.trim().replace(/^@/, "") || null,
    picture: snippet?.thumbnails?.medium?.url ?? snippet?.thumbnails?.default?.url,
  });
  return ok({ profile, credentials });
}

const tokens = grantedTokens.extend({ refresh_token: optionalText });

/** @see https://developers.google.com/identity/protocols/oauth2/web-server */
export const refresh: Connector["refresh"] = (fetch, credentials, _account, app) =>
  refreshByGrant(fetch, credentials, app, {
    platform: "YouTube",
    request: ({ clientId, clientSecret }, refreshToken) =>
      formRequest(`${TOKENS}/token`, {
        grant_type: "refresh_token",
        refresh_token: refreshToken,
        client_id: clientId,
        client_secret: clientSecret,
      }),
    read: (reply) => readReply(reply, tokens),
    isLost: ({ reason }) => reason === "invalid_grant",
    isAboutApp: ({ reason }) => isUnknownApp(reason),
    isTemporary,
  });

/**
 * Ends all tokens of the login.
 * @see https://developers.google.com/identity/protocols/oauth2/web-server
 */
export const revoke = (fetch: Fetch, { accessToken, refreshToken }: Credentials): Promise<void> =>
  callUnread(fetch, formRequest(`${TOKENS}/revoke`, { token: refreshToken ?? accessToken }));
