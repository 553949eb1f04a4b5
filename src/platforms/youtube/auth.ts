import { ok, type Result, refuse } from "../../core/result.ts";
import type { Fetch } from "../connector.ts";
import { googleRefresh } from "../google/login.ts";
import { finalRefusal, toProfile } from "../kit/logins.ts";
import type { Connected, Credentials, LoginRefusal } from "../login.ts";
import { getChannelRequest, readGetChannelReply, readReply, type YouTubeRefusal } from "./api.ts";
import { isTemporary } from "./failures.ts";

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

export const refresh = googleRefresh({ platform: "YouTube", readReply, isTemporary });
