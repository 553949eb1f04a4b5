import * as z from "zod";
import {
  requestedScopes,
  standardBegin,
  standardFinish,
  type TokenError,
  type TokenServer,
} from "../kit/consents.ts";
import { maybeText } from "../kit/shapes.ts";
import { API } from "./api.ts";
import { identify } from "./auth.ts";
import { scopes } from "./capabilities.ts";

/** "Authentication failed." At the token endpoint, this concerns the app. */
const AUTHENTICATION_FAILED = 2;

const errorBody = z.object({ code: z.number().nullish().catch(null), message: maybeText });

function readError(body: unknown, status: number): TokenError {
  const { code = null, message = null } = errorBody.safeParse(body).data ?? {};
  const isAboutApp = status === 401 && code === AUTHENTICATION_FAILED;
  return { code: isAboutApp ? "invalid_client" : null, message };
}

/** Older apps get refresh tokens that cannot be extended without `continuous_refresh`. */
const SERVER: TokenServer = {
  platform: "Pinterest",
  issuer: "https://www.pinterest.com",
  tokenEndpoint: `${API}/oauth/token`,
  clientAuth: "basic",
  hasPkce: false,
  extraFields: { continuous_refresh: "true" },
  readError,
};

/** @see https://developers.pinterest.com/docs/getting-started/set-up-authentication-and-authorization/ */
export const begin = standardBegin("https://www.pinterest.com/oauth/", (app) => ({
  scope: requestedScopes(scopes, app).join(","),
}));

export const finish = standardFinish(SERVER, scopes, identify);
