import * as z from "zod";
import { ok } from "../../core/result.ts";
import { parseJson } from "../kit/reply.ts";
import { API, errorObject, type Reading, readBody, readReply, toRefusal } from "./api.ts";

/** Fields that every login may read, and those that need `user.info.profile`. */
export const BASIC_FIELDS = ["open_id", "avatar_url", "display_name"];
export const PROFILE_FIELDS = [...BASIC_FIELDS, "username"];

/** @see https://developers.tiktok.com/doc/tiktok-api-v2-get-user-info */
export function userInfoRequest(accessToken: string, fields: readonly string[]): Request {
  return new Request(`${API}/v2/user/info/?fields=${fields.join(",")}`, {
    headers: { authorization: `Bearer ${accessToken}` },
    redirect: "manual",
  });
}

const user = z.object({
  open_id: z.string().min(1),
  avatar_url: z.string().nullish(),
  display_name: z.string().nullish(),
  username: z.string().nullish(),
});

export type User = z.infer<typeof user>;

export const readUserInfoReply = (reply: Response): Reading<User> =>
  readReply(reply, z.object({ user }), (data) => data.user);

function form(path: string, fields: Record<string, string>): Request {
  return new Request(API + path, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString(),
    redirect: "manual",
  });
}

interface ClientKeys {
  clientKey: string;
  clientSecret: string;
}

/** @see https://developers.tiktok.com/doc/oauth-user-access-token-management */
export const refreshTokenRequest = (keys: ClientKeys, refreshToken: string): Request =>
  form("/v2/oauth/token/", {
    client_key: keys.clientKey,
    client_secret: keys.clientSecret,
    grant_type: "refresh_token",
    refresh_token: refreshToken,
  });

/** @see https://developers.tiktok.com/doc/oauth-user-access-token-management */
export const revokeTokenRequest = (keys: ClientKeys, accessToken: string): Request =>
  form("/v2/oauth/revoke/", {
    client_key: keys.clientKey,
    client_secret: keys.clientSecret,
    token: accessToken,
  });

const tokens = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().positive(),
  refresh_token: z.string().min(1),
  refresh_expires_in: z.number().positive().optional().catch(undefined),
  open_id: z.string().nullish(),
});

export type Tokens = z.infer<typeof tokens>;

const oauthError = z.object({
  error: z.string().min(1),
  error_description: z.string().optional().catch(undefined),
});

/** Flat, without `data`; an error may come with HTTP 200. */
export async function readTokenReply(reply: Response): Reading<Tokens> {
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
