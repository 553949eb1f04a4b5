import * as z from "zod";
import { ok, type Result, refuse } from "../../core/result.ts";
import type { Connector, Fetch } from "../connector.ts";
import {
  finalRefusal,
  formRequest,
  grantedTokens,
  isUnknownApp,
  keysOf,
  refreshByGrant,
  toConnected,
} from "../kit/logins.ts";
import { bearerRequest } from "../kit/requests.ts";
import { maybeText } from "../kit/shapes.ts";
import type { AppKeys, Connected, Credentials, LoginRefusal } from "../login.ts";
import { API, get, type LinkedInRefusal, LOGINS, readDoneReply, readReply } from "./api.ts";
import { PAGES_APP } from "./capabilities.ts";
import { isTemporary } from "./failures.ts";
import { organization, publishableIds } from "./pages.ts";
import { organizationUrn, personUrn, readOrganizationId } from "./urn.ts";

const isFinal = (refusal: LinkedInRefusal): boolean => !isTemporary(refusal);

export const identify: Connector["identify"] = (fetch, credentials, { pageId, app }) => {
  if (pageId !== null) return identifyPage(fetch, credentials, pageId);
  return app === PAGES_APP
    ? identifyMember(fetch, credentials)
    : identifyPerson(fetch, credentials);
};

const userInfo = z.object({
  sub: z.string().regex(/^[\w-]{1,100}$/),
  name: z.string().nullish().catch(null),
  picture: z.string().nullish().catch(null),
});

/**
 * The endpoint `/v2/userinfo` has no API versions.
 * @see https://learn.microsoft.com/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2
 */
export async function identifyPerson(
  fetch: Fetch,
  credentials: Credentials,
): Promise<Result<Connected, LoginRefusal>> {
  const request = bearerRequest(`${API}/v2/userinfo`, credentials.accessToken);
  const reply = await readReply(await fetch(request), userInfo);
  return toConnected(reply, credentials, isFinal, ({ sub, name, picture }) => ({
    id: personUrn(sub),
    userId: personUrn(sub),
    name: name?.trim() || sub,
    picture,
  }));
}

/** LinkedIn names the smallest size first. */
const pictures = z.object({
  "displayImage~": z.object({
    elements: z.array(z.object({ identifiers: z.array(z.object({ identifier: z.string() })) })),
  }),
});

const member = z.object({
  id: z.string().regex(/^[\w-]{1,100}$/),
  localizedFirstName: maybeText,
  localizedLastName: maybeText,
  vanityName: maybeText,
  profilePicture: pictures.nullish().catch(null),
});

const MEMBER_FIELDS =
  "(id,localizedFirstName,localizedLastName,vanityName,profilePicture(displayImage~:playableStreams))";

/**
 * For the pages app, which may not call `/v2/userinfo`. The same person has another id there.
 * @see https://learn.microsoft.com/linkedin/shared/integrations/people/profile-api
 */
export async function identifyMember(
  fetch: Fetch,
  credentials: Credentials,
): Promise<Result<Connected, LoginRefusal>> {
  const url = `${API}/v2/me?projection=${MEMBER_FIELDS}`;
  const reply = await readReply(await fetch(bearerRequest(url, credentials.accessToken)), member);
  return toConnected(reply, credentials, isFinal, (found) => ({
    id: personUrn(found.id),
    userId: personUrn(found.id),
    name:
      [found.localizedFirstName, found.localizedLastName]
        .map((part) => part?.trim())
        .filter(Boolean)
        .join(" ") || found.id,
    handle: found.vanityName?.trim() || null,
    picture: found.profilePicture?.["displayImage~"].elements.at(-1)?.identifiers[0]?.identifier,
  }));
}

async function identifyPage(
  fetch: Fetch,
  credentials: Credentials,
  pageId: string,
): Promise<Result<Connected, LoginRefusal>> {
  const id = readOrganizationId(pageId);
  if (id === null) {
    return finalRefusal(
      "pageId must be the number of a LinkedIn page, or urn:li:organization:….",
      "pageId",
    );
  }
  const { accessToken } = credentials;
  const ids = await publishableIds(fetch, accessToken);
  if (!ids.ok) return refuse({ message: ids.error.message, final: isFinal(ids.error) });
  if (!ids.value.includes(id)) {
    return finalRefusal(
      `This member may not publish as the LinkedIn page ${id}: that takes an administrator or a content administrator.`,
      "pageId",
    );
  }
  const reply = await readReply(await fetch(get(`organizations/${id}`, accessToken)), organization);
  return toConnected(reply, credentials, isFinal, ({ localizedName, vanityName }) => {
    const handle = vanityName?.trim() || null;
    return { id: organizationUrn(id), name: localizedName?.trim() || handle || id, handle };
  });
}

const NOT_RENEWABLE =
  "LinkedIn gives this app no logins that can be renewed. Reconnect the account every 60 days.";

const token = z.string().min(1).max(8_192);
const tokens = grantedTokens.extend({ access_token: token, refresh_token: token.nullish() });

const toClient = ({ clientId, clientSecret }: AppKeys) => ({
  client_id: clientId,
  client_secret: clientSecret,
});

/**
 * The refresh token ends 365 days after the consent, however often it is used.
 * @see https://learn.microsoft.com/linkedin/shared/authentication/programmatic-refresh-tokens
 */
export const withFixedEnd = (credentials: Credentials): Credentials =>
  credentials.refreshEndsAt ? { ...credentials, isEndFixed: true } : credentials;

/**
 * Adds 60 days. Only some apps get refresh tokens.
 * @see https://learn.microsoft.com/linkedin/shared/authentication/programmatic-refresh-tokens
 */
export const refresh: Connector["refresh"] = async (fetch, credentials, account, app) => {
  if (!credentials.refreshToken) return finalRefusal(NOT_RENEWABLE);
  const renewed = await refreshByGrant(fetch, credentials, app, {
    platform: "LinkedIn",
    other: account.app,
    request: (keys, refresh_token) =>
      formRequest(`${LOGINS}/accessToken`, {
        grant_type: "refresh_token",
        refresh_token,
        ...toClient(keys),
      }),
    read: (reply) => readReply(reply, tokens),
    isAboutApp: ({ code }) => isUnknownApp(code),
    isLost: ({ code, message }) =>
      code === "invalid_grant" || /refresh token.*(?:invalid|expired|revoked)/i.test(message),
    isTemporary,
  });
  return renewed.ok ? ok(withFixedEnd(renewed.value)) : renewed;
};

/** The member's pages share this token, so their access ends too. */
export const revoke: Required<Connector>["revoke"] = async (fetch, credentials, _account, app) => {
  const fields = { token: credentials.accessToken, ...toClient(keysOf(app)) };
  await readDoneReply(await fetch(formRequest(`${LOGINS}/revoke`, fields)));
};
