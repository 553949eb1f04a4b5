import type { Connector } from "../connector.ts";
import { probeApp } from "../kit/app-checks.ts";
import { formRequest, isUnknownApp } from "../kit/logins.ts";
import { API } from "./api.ts";

/** Sandbox apps' keys begin this way, according to other programs. */
const SANDBOX_PREFIX = "sb";

/**
 * According to other programs, TikTok grants a token to any app.
 * @see https://developers.tiktok.com/doc/client-access-token-management
 */
export const checkApp: Required<Connector>["checkApp"] = async (fetch, app) => {
  const isOfSandbox = app.clientId.startsWith(SANDBOX_PREFIX);
  const check = await probeApp(fetch, {
    platform: "TikTok",
    request: formRequest(`${API}/v2/oauth/token/`, {
      client_key: app.clientId,
      client_secret: app.clientSecret,
      grant_type: "client_credentials",
    }),
    isRight: ({ token }) => token !== null,
    isWrong: ({ error }) => isUnknownApp(error),
    leavesOpen: isOfSandbox
      ? "Its key is one of a TikTok sandbox: nothing it posts is public."
      : "It does not say whether the redirect URL is registered.",
  });
  return check.verdict === "right" && isOfSandbox ? { ...check, isUnpublished: true } : check;
};
