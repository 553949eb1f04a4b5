import { now } from "../../core/clock.ts";
import { ok, type Result, refuse } from "../../core/result.ts";
import { addSeconds } from "../../core/time.ts";
import { refusedUrl } from "../../core/url-policy.ts";
import type { AppKeys, Connected, Credentials, Fetch, LoginRefusal } from "../connector.ts";
import { meRequest, readMeReply, type XRefusal } from "./api.ts";
import { isAboutApp, isAskedAgain } from "./failures.ts";
import { readTokensReply, refreshRequest, revokeRequest } from "./login-api.ts";

const finalRefusal = (message: string) => refuse<LoginRefusal>({ message, final: true });

/** X gives out a small picture; the one without the suffix is the whole. */
const wholePicture = (url: string): string => url.replace(/_normal(?=\.\w+$)/, "");

/** Whose tokens these are. */
export async function identify(
  fetch: Fetch,
  credentials: Credentials,
): Promise<Result<Connected, LoginRefusal>> {
  const reply = await readMeReply(await fetch(meRequest(credentials.accessToken)));
  if (!reply.ok) {
    const isOpen = isAskedAgain(reply.error) || isAboutApp(reply.error);
    return refuse({ message: reply.error.message, final: !isOpen });
  }
  const { id, name, username, profile_image_url: picture } = reply.value;
  const profile = {
    platformAccountId: id,
    accountName: name?.trim() || username,
    handle: username,
    profileImageUrl: picture && refusedUrl(picture) === null ? wholePicture(picture) : null,
    service: null,
  };
  return ok({ profile, credentials });
}

/** Without keys X refuses the call in its own words; a simulated account needs none. */
const toBasic = (app: AppKeys | null): string =>
  btoa(`${app?.clientId ?? ""}:${app?.clientSecret ?? ""}`);

const KEYS_MISSING =
  "X_CLIENT_ID and X_CLIENT_SECRET are not set, so this login cannot be renewed.";

/** X says of a dead refresh token that its value was invalid, under either name. */
const isLostLogin = ({ status, problem, message }: XRefusal): boolean =>
  problem === "invalid_grant" ||
  (status === 400 && problem === "invalid_request" && /token was invalid/i.test(message));

/**
 * A new pair of tokens. The old refresh token dies with the call: a reply that got lost mostly means
 * connecting the account again.
 *
 * @see https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token
 */
export async function refresh(
  fetch: Fetch,
  credentials: Credentials,
  app: AppKeys | null,
): Promise<Result<Credentials, LoginRefusal>> {
  const { refreshToken, expiresAt } = credentials;
  if (!refreshToken) {
    return finalRefusal("This X login cannot be renewed; connect the account again.");
  }
  const reply = await readTokensReply(await fetch(refreshRequest(toBasic(app), refreshToken)));
  if (!reply.ok) {
    const { message } = reply.error;
    if (isLostLogin(reply.error)) return finalRefusal(message);
    if (app || isAskedAgain(reply.error)) return refuse({ message, final: false });
    return refuse({ message: KEYS_MISSING, final: expiresAt !== null && expiresAt <= now() });
  }
  const { access_token, refresh_token, expires_in } = reply.value;
  return ok({
    accessToken: access_token,
    refreshToken: refresh_token ?? refreshToken,
    expiresAt: expires_in ? addSeconds(now(), expires_in) : null,
  });
}

/** Ends both tokens; each lives without the other. */
export async function revoke(
  fetch: Fetch,
  { accessToken, refreshToken }: Credentials,
  app: AppKeys | null,
): Promise<void> {
  const basic = toBasic(app);
  const requests = [revokeRequest(basic, accessToken, "access_token")];
  if (refreshToken) requests.unshift(revokeRequest(basic, refreshToken, "refresh_token"));
  for (const request of requests) {
    const reply = await fetch(request);
    await reply.body?.cancel();
  }
}
