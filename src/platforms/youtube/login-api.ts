import * as z from "zod";
import { optionalText, type Reading, readReply } from "./api.ts";

const TOKENS = "https://oauth2.googleapis.com";

const form = (path: string, fields: Record<string, string>): Request =>
  new Request(TOKENS + path, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString(),
    redirect: "manual",
  });

/** @see https://developers.google.com/identity/protocols/oauth2/web-server */
export const refreshTokenRequest = (
  keys: { clientId: string; clientSecret: string },
  refreshToken: string,
): Request =>
  form("/token", {
    grant_type: "refresh_token",
    refresh_token: refreshToken,
    client_id: keys.clientId,
    client_secret: keys.clientSecret,
  });

const tokens = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().positive(),
  refresh_token: optionalText,
});

export const readRefreshTokenReply = (reply: Response): Reading<z.infer<typeof tokens>> =>
  readReply(reply, tokens);

/** @see https://developers.google.com/identity/protocols/oauth2/web-server */
export const revokeTokenRequest = (token: string): Request => form("/revoke", { token });
