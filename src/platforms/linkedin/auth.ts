import { now } from "../../core/clock.ts";
import { ok, type Result, refuse } from "../../core/result.ts";
import { addSeconds } from "../../core/time.ts";
import { refusedUrl } from "../../core/url-policy.ts";
import type {
  AppKeys,
  Connected,
  Credentials,
  Fetch,
  IdentifyOptions,
  LoginRefusal,
  PublishAccount,
} from "../connector.ts";
import type { LinkedInRefusal } from "./api.ts";
import { REFRESH_AHEAD_SECONDS } from "./capabilities.ts";
import { isAskedAgain } from "./failures.ts";
import {
  getOrganizationRequest,
  readOrganizationReply,
  readRevokeTokenReply,
  readTokensReply,
  readUserInfoReply,
  refreshTokenRequest,
  revokeTokenRequest,
  userInfoRequest,
} from "./login-api.ts";
import { publishableIds } from "./pages.ts";
import { isOrganization, organizationUrn, personUrn, readOrganizationId } from "./urn.ts";

const finalRefusal = (message: string) => refuse<LoginRefusal>({ message, final: true });
const pageRefusal = (message: string) =>
  refuse<LoginRefusal>({ message, final: true, field: "pageId" });

const toLoginRefusal = (refusal: LinkedInRefusal): LoginRefusal => ({
  message: refusal.message,
  final: !isAskedAgain(refusal),
});

/** Whose tokens these are: the member's, or a page's that the member may publish as. */
export function identify(
  fetch: Fetch,
  credentials: Credentials,
  { pageId }: IdentifyOptions,
): Promise<Result<Connected, LoginRefusal>> {
  return pageId === null
    ? identifyPerson(fetch, credentials)
    : identifyPage(fetch, credentials, pageId);
}

async function identifyPerson(
  fetch: Fetch,
  credentials: Credentials,
): Promise<Result<Connected, LoginRefusal>> {
  const reply = await readUserInfoReply(await fetch(userInfoRequest(credentials.accessToken)));
  if (!reply.ok) return refuse(toLoginRefusal(reply.error));
  const { sub, name, picture } = reply.value;
  return ok({
    profile: {
      platformAccountId: personUrn(sub),
      accountName: name?.trim() || sub,
      handle: null,
      profileImageUrl: picture && refusedUrl(picture) === null ? picture : null,
      service: null,
    },
    credentials,
  });
}

async function identifyPage(
  fetch: Fetch,
  credentials: Credentials,
  pageId: string,
): Promise<Result<Connected, LoginRefusal>> {
  const id = readOrganizationId(pageId);
  if (id === null) {
    return pageRefusal("pageId must be the number of a LinkedIn page, or urn:li:organization:….");
  }
  const { accessToken } = credentials;
  const ids = await publishableIds(fetch, accessToken);
  if (!ids.ok) return refuse(toLoginRefusal(ids.error));
  if (!ids.value.includes(id)) {
    return pageRefusal(
      `This member may not publish as the LinkedIn page ${id}: that takes an administrator or a content administrator.`,
    );
  }
  const reply = await readOrganizationReply(await fetch(getOrganizationRequest(accessToken, id)));
  if (!reply.ok) return refuse(toLoginRefusal(reply.error));
  const { localizedName, vanityName } = reply.value;
  const handle = vanityName?.trim() || null;
  return ok({
    profile: {
      platformAccountId: organizationUrn(id),
      accountName: localizedName?.trim() || handle || id,
      handle,
      profileImageUrl: null,
      service: null,
    },
    credentials,
  });
}

const NOT_RENEWABLE =
  "LinkedIn gives this app no logins that can be renewed: reconnect the account every 60 days.";

const KEYS_MISSING =
  "LINKEDIN_CLIENT_ID and LINKEDIN_CLIENT_SECRET are not set, so this login cannot be renewed.";

/** A login that is asked for this shortly before its end is over, for all that is done with it. */
const OVER_SECONDS = 300;

/** Whether a login that cannot be renewed still serves for its last days. */
function stillServes(expiresAt: Date | null): boolean {
  if (expiresAt === null) return false;
  const at = now();
  const isEnding = expiresAt <= addSeconds(at, REFRESH_AHEAD_SECONDS);
  return isEnding && expiresAt > addSeconds(at, OVER_SECONDS);
}

/** The refresh token itself is refused; every other refusal is about the app or the moment. */
const isLoginLost = ({ code, message }: LinkedInRefusal): boolean =>
  code === "invalid_grant" || /refresh token.*(?:invalid|expired|revoked)/i.test(message);

/**
 * Another 60 days, where the app is given refresh tokens. Theirs are 365 days from the first login,
 * whatever is renewed in between.
 *
 * @see https://learn.microsoft.com/linkedin/shared/authentication/programmatic-refresh-tokens
 */
export async function refresh(
  fetch: Fetch,
  credentials: Credentials,
  app: AppKeys | null,
): Promise<Result<Credentials, LoginRefusal>> {
  const { refreshToken, expiresAt } = credentials;
  if (!refreshToken) return refuse({ message: NOT_RENEWABLE, final: !stillServes(expiresAt) });
  const reply = await readTokensReply(await fetch(refreshTokenRequest(app, refreshToken)));
  if (!reply.ok) {
    const { message } = reply.error;
    if (isLoginLost(reply.error)) return finalRefusal(message);
    if (app || isAskedAgain(reply.error)) return refuse({ message, final: false });
    return refuse({ message: KEYS_MISSING, final: expiresAt !== null && expiresAt <= now() });
  }
  const { access_token, refresh_token, expires_in } = reply.value;
  return ok({
    accessToken: access_token,
    refreshToken: refresh_token || refreshToken,
    expiresAt: addSeconds(now(), expires_in),
  });
}

/** Ends a person's token. A page has none of its own: the member's may serve other accounts. */
export async function revoke(
  fetch: Fetch,
  credentials: Credentials,
  account: PublishAccount,
  app: AppKeys | null,
): Promise<void> {
  if (isOrganization(account.platformAccountId)) return;
  await readRevokeTokenReply(await fetch(revokeTokenRequest(app, credentials.accessToken)));
}
