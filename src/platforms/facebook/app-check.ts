import type { Connector } from "../connector.ts";
import { probeGraphApp } from "../meta/app-check.ts";

/** @see https://developers.facebook.com/docs/facebook-login/guides/access-tokens#apptokens */
export const checkApp: Required<Connector>["checkApp"] = (fetch, app) =>
  probeGraphApp(fetch, app, "Facebook", "https://graph.facebook.com/oauth/access_token");
