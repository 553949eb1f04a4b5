import * as z from "zod";
import { ok, type Result } from "../../core/result.ts";
import type { Connector, Fetch } from "../connector.ts";
import {
  callUnread,
  formRequest,
  grantedTokens,
  isUnknownApp,
  keysOf,
  refreshByGrant,
  toConnected,
} from "../kit/logins.ts";
import { parseJson } from "../kit/replies.ts";
import { bearerRequest } from "../kit/requests.ts";
import { maybeText } from "../kit/shapes.ts";
import type { AppKeys, Connected, Credentials, LoginRefusal } from "../login.ts";
import {
  API,
  errorObject,
  type Reading,
  readBody,
  readReply,
  type TikTokRefusal,
  toRefusal,
} from "./api.ts";
import { isTemporary } from "./failures.ts";

/** Every login may read these; `username` needs `user.info.profile`. */
const BASIC_FIELDS = ["open_id", "avatar_url", "display_name"];
const PROFILE_FIELDS = [...BASIC_FIELDS, "username"];

/** TikTok refuses the whole call with one of these. */
const MISSING_SCOPE = new Set(["scope_not_authorized", "scope_permission_missed"]);

/** @see https://developers.tiktok.com/doc/tiktok-api-v2-get-user-info */
export const userInfoRequest = (accessToken: string, fields: readonly string[]): Request =>
  bearerRequest(`${API}/v2/user/info/?fields=${fields.join(",")}`, accessToken);

const user = z.object({
  open_id: z.string().min(1),
  avatar_url: z.string().nullish(),
  display_name: z.string().nullish(),
  username: z.string().nullish(),
});

const readUser = async (
  fetch: Fetch,
  accessToken: string,
  fields: readonly string[],
): Reading<z.infer<typeof user>> =>
  readReply(
    await fetch(userInfoRequest(accessToken, fields)),
    z.object({ user }),
    (data) => data.user,
  );

export async function identify(
  fetch: Fetch,
  credentials: Credentials,
): Promise<Result<Connected, LoginRefusal>> {
  const { accessToken } = credentials;
  let reply = await readUser(fetch, accessToken, PROFILE_FIELDS);
  if (!reply.ok && MISSING_SCOPE.has(reply.error.code ?? "")) {
    reply = await readUser(fetch, accessToken, BASIC_FIELDS);
  }
  const isFinal = (refusal: TikTokRefusal) => !isTemporary(refusal);
  return toConnected(reply, credentials, isFinal, (owner) => ({
    id: owner.open_id,
    name: owner.display_name,
    handle: owner.username?.trim() || null,
    picture: owner.avatar_url,
  }));
}

const tokens = grantedTokens.extend({
  refresh_token: z.string().min(1),
  refresh_expires_in: z.number().positive().optional().catch(undefined),
  open_id: z.string().nullish(),
  scope: maybeText,
});

const oauthError = z.object({
  error: z.string().min(1),
  error_description: z.string().optional().catch(undefined),
});

/** TikTok's token reply has no `data` envelope; errors may come with HTTP 200. */
export async function readTokens(reply: Response): Reading<z.infer<typeof tokens>> {
  const body = parseJson(await readBody(reply));
  const error = oauthError.safeParse(body).data;
  const parsed = reply.ok && !error ? tokens.safeParse(body) : undefined;
  if (parsed?.success) return ok(parsed.data);
  const { code, message } = errorObject.safeParse(body).data?.error ?? {
    code: error?.error,
    message: error?.error_description,
  };
  return toRefusal(reply, code, message);
}

export const TOKEN_ENDPOINT = `${API}/v2/oauth/token/`;

export const toClient = ({ clientId, clientSecret }: AppKeys) => ({
  client_key: clientId,
  client_secret: clientSecret,
});

/**
 * Invalidates the old refresh token: after a lost reply, people must usually reconnect.
 * @see https://developers.tiktok.com/doc/oauth-user-access-token-management
 */
export const refresh: Connector["refresh"] = (fetch, credentials, { platformAccountId }, app) =>
  refreshByGrant(fetch, credentials, app, {
    platform: "TikTok",
    request: (keys, refreshToken) =>
      formRequest(TOKEN_ENDPOINT, {
        ...toClient(keys),
        grant_type: "refresh_token",
        refresh_token: refreshToken,
      }),
    read: readTokens,
    isLost: ({ code }) => code === "invalid_grant",
    isAboutApp: ({ code }) => isUnknownApp(code),
    isTemporary,
    mismatch: ({ open_id }) =>
      open_id && open_id !== platformAccountId
        ? `TikTok answered for another account, ${open_id}.`
        : null,
  });

/** @see https://developers.tiktok.com/doc/oauth-user-access-token-management */
export const revoke: Required<Connector>["revoke"] = (fetch, { accessToken }, _account, app) => {
  const fields = { ...toClient(keysOf(app)), token: accessToken };
  return callUnread(fetch, formRequest(`${API}/v2/oauth/revoke/`, fields));
};
