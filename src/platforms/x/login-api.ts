import * as z from "zod";
import { API, type Reading, readWhole } from "./api.ts";

function form(path: string, basic: string, fields: Record<string, string>): Request {
  return new Request(API + path, {
    method: "POST",
    headers: {
      authorization: `Basic ${basic}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams(fields).toString(),
    redirect: "manual",
  });
}

/** @see https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token */
export const refreshRequest = (basic: string, refreshToken: string): Request =>
  form("/2/oauth2/token", basic, { grant_type: "refresh_token", refresh_token: refreshToken });

/** @see https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token */
export const revokeRequest = (
  basic: string,
  token: string,
  hint: "access_token" | "refresh_token",
): Request => form("/2/oauth2/revoke", basic, { token, token_type_hint: hint });

const tokens = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().positive().nullish(),
  /** Only with the scope offline.access. */
  refresh_token: z.string().min(1).nullish(),
});

export type Tokens = z.infer<typeof tokens>;

export const readTokensReply = (reply: Response): Reading<Tokens> => readWhole(reply, tokens);
