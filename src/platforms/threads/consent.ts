import { ok } from "../../core/result.ts";
import type { ConsentPage } from "../consent.ts";
import type { Fetch } from "../fetch.ts";
import { requestedScopes, standardBegin } from "../kit/consents.ts";
import { exchangeMetaCode } from "../meta/consent.ts";
import { debugTokenRequest, exchangeCodeRequest, NAME, readDebugTokenReply } from "./api.ts";
import { connectLasting } from "./auth.ts";
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
  const { accessToken } = connected.value.credentials;
  return ok({
    accounts: [connected.value],
    scopes: await readGranted(fetch, accessToken),
    requested: requestedScopes(scopes, app),
  });
};

/** Asks for the scopes, because the code exchange's reply lists none. */
async function readGranted(fetch: Fetch, token: string): Promise<string[] | null> {
  try {
    const debugged = await readDebugTokenReply(await fetch(debugTokenRequest(token)));
    return debugged.ok ? (debugged.value.scopes ?? null) : null;
  } catch {
    return null;
  }
}
