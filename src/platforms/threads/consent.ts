import { ok } from "../../core/result.ts";
import type { ConsentPage } from "../consent.ts";
import { requestedScopes, standardBegin } from "../kit/consents.ts";
import { exchangeMetaCode } from "../meta/consent.ts";
import { exchangeCodeRequest, NAME } from "./api.ts";
import { connectLasting, debugToken } from "./auth.ts";
import { scopes } from "./capabilities.ts";

/** @see https://developers.facebook.com/docs/threads/get-started/get-access-tokens-and-permissions */
export const begin = standardBegin("https://threads.com/oauth/authorize", (app) => ({
  scope: requestedScopes(scopes, app).join(","),
}));

export const finish: ConsentPage["finish"] = async (fetch, back, app) => {
  const granted = await exchangeMetaCode(fetch, NAME, exchangeCodeRequest, back, app);
  if (!granted.ok) return granted;
  const connected = await connectLasting(fetch, granted.value.accessToken, app);
  if (!connected.ok) return connected;
  const { profile, credentials } = connected.value;
  // The code exchange's reply lists no scopes.
  const known = await debugToken(fetch, credentials.accessToken);
  const dataAccessEndsAt = known?.data_access_expires_at;
  return ok({
    accounts: [
      {
        profile,
        credentials: { ...credentials, ...(dataAccessEndsAt ? { dataAccessEndsAt } : {}) },
      },
    ],
    scopes: known?.scopes ?? null,
    requested: requestedScopes(scopes, app),
  });
};
