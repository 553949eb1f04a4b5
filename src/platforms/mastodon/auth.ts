import * as clock from "../../core/clock.ts";
import { ok, type Result, refuse } from "../../core/result.ts";
import { addSeconds } from "../../core/time.ts";
import type { Connector, Fetch } from "../connector.ts";
import { callUnread, finalRefusal, formRequest, grantedTokens, toProfile } from "../kit/logins.ts";
import type { Connected, Credentials, LoginRefusal, ServerLimits } from "../login.ts";
import {
  instanceRequest,
  readInstanceReply,
  readReply,
  readVerifyReply,
  toLimits,
  verifyRequest,
} from "./api.ts";
import { isLoginLost } from "./failures.ts";
import { accountIdOf, serverOfAccount } from "./identity.ts";

/** Null without an answer. Older servers know the first version alone. */
async function readLimits(
  fetch: Fetch,
  server: string,
  accessToken: string,
): Promise<ServerLimits | null> {
  for (const version of ["v2", "v1"] as const) {
    const reply = await readInstanceReply(
      await fetch(instanceRequest(server, version, accessToken)),
    );
    if (reply.ok) return toLimits(reply.value);
    if (reply.error.status !== 404) return null;
  }
  return null;
}

export const readServerLimits: Required<Connector>["readServerLimits"] = (
  fetch,
  { accessToken },
  account,
) => readLimits(fetch, serverOfAccount(account), accessToken);

export async function readAccount(
  fetch: Fetch,
  server: string,
  credentials: Credentials,
): Promise<Result<Connected, LoginRefusal>> {
  const reply = await readVerifyReply(await fetch(verifyRequest(server, credentials.accessToken)));
  if (!reply.ok) return refuse({ message: reply.error.message, final: isLoginLost(reply.error) });
  const { id, username, display_name, avatar } = reply.value;
  const profile = toProfile({
    id: accountIdOf(server, id),
    name: display_name?.trim() || username,
    handle: accountIdOf(server, username),
    picture: avatar,
  });
  const serverLimits = await readLimits(fetch, server, credentials.accessToken);
  return ok({
    profile: { ...profile, service: server, ...(serverLimits ? { serverLimits } : {}) },
    credentials,
  });
}

export const identify: Connector["identify"] = async (fetch, credentials, { service }) => {
  // The caller's policy for addresses has been applied.
  const server = URL.parse(service ?? "")?.origin;
  return server === undefined
    ? finalRefusal("Send service: the address of the account's server.", "service")
    : readAccount(fetch, server, credentials);
};

const tokens = grantedTokens.extend({
  expires_in: grantedTokens.shape.expires_in.nullish().catch(null),
});

/** A login of Mastodon has no end: the server is asked whether it still stands. Some others have refresh tokens. */
export const refresh: Connector["refresh"] = async (fetch, credentials, account) => {
  const server = serverOfAccount(account);
  const { refreshToken, extra = {} } = credentials;
  if (refreshToken === null) {
    const reply = await readVerifyReply(
      await fetch(verifyRequest(server, credentials.accessToken)),
    );
    if (reply.ok) return ok(credentials);
    const isLost = isLoginLost(reply.error);
    return refuse({
      message: reply.error.message,
      final: isLost,
      ...(isLost ? { isEnded: true as const } : {}),
    });
  }
  const { clientId = "", clientSecret = "" } = extra;
  const request = formRequest(`${server}/oauth/token`, {
    grant_type: "refresh_token",
    refresh_token: refreshToken,
    client_id: clientId,
    client_secret: clientSecret,
  });
  const reply = await readReply(await fetch(request), tokens);
  if (!reply.ok) {
    const isLost = reply.error.name === "invalid_grant" || isLoginLost(reply.error);
    return refuse({ message: reply.error.message, final: isLost });
  }
  const { access_token, refresh_token, expires_in } = reply.value;
  return ok({
    ...credentials,
    accessToken: access_token,
    refreshToken: refresh_token || refreshToken,
    expiresAt: expires_in ? addSeconds(clock.now(), expires_in) : null,
  });
};

/** @see https://docs.joinmastodon.org/methods/oauth/#revoke */
export const revoke: Required<Connector>["revoke"] = async (fetch, credentials, account) => {
  const { clientId, clientSecret } = credentials.extra ?? {};
  // A login that was given as a token has no app of ours.
  if (!clientId || !clientSecret) return;
  await callUnread(
    fetch,
    formRequest(`${serverOfAccount(account)}/oauth/revoke`, {
      client_id: clientId,
      client_secret: clientSecret,
      token: credentials.accessToken,
    }),
  );
};
