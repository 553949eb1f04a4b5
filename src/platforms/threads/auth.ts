import { ok } from "../../core/result.ts";
import type { Connector, Fetch } from "../connector.ts";
import type { GraphRefusal } from "../meta/graph.ts";
import { isYoung, selfRenewingLogins } from "../meta/login.ts";
import {
  debugTokenRequest,
  exchangeTokenRequest,
  getMeRequest,
  NAME,
  readDebugTokenReply,
  readGetMeReply,
  refreshTokenRequest,
} from "./api.ts";
import { judge } from "./failures.ts";

const isDefinite = (refusal: GraphRefusal): boolean =>
  refusal.status >= 400 && refusal.status < 500 && !judge.isTemporary(refusal);

const logins = selfRenewingLogins({
  platform: NAME,
  judge,
  meRequest: getMeRequest,
  readMe: readGetMeReply,
  toOwner: ({ id, username, name, threads_profile_picture_url }) => ({
    id,
    // A deletion request needs this id when the account is already disconnected.
    userId: id,
    name,
    handle: username,
    picture: threads_profile_picture_url,
  }),
  exchangeRequest: exchangeTokenRequest,
  refreshRequest: refreshTokenRequest,
  // Only a token younger than 24 hours may survive a refused renewal.
  isLost: (refusal, credentials) =>
    judge.isLoginLost(refusal) || (!isYoung(credentials) && isDefinite(refusal)),
});

export const { adopt, connectLasting, identify } = logins;

/** Returns null without an answer. */
export async function debugToken(fetch: Fetch, token: string) {
  try {
    const reply = await readDebugTokenReply(await fetch(debugTokenRequest(token)));
    return reply.ok ? reply.value : null;
  } catch {
    return null;
  }
}

/**
 * Renewing a token extends the permissions of a public profile by 90 days, those of a private one not.
 * @see https://developers.facebook.com/documentation/threads/get-started
 */
export const refresh: Connector["refresh"] = async (fetch, credentials, account, app) => {
  const renewed = await logins.refresh(fetch, credentials, account, app);
  if (!renewed.ok) return renewed;
  const known = await debugToken(fetch, renewed.value.accessToken);
  const dataAccessEndsAt = known?.data_access_expires_at ?? credentials.dataAccessEndsAt;
  return ok({ ...renewed.value, ...(dataAccessEndsAt ? { dataAccessEndsAt } : {}) });
};
