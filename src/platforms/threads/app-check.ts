import type { Connector } from "../connector.ts";
import { probeGraphApp } from "../meta/app-check.ts";

/** @see https://developers.facebook.com/docs/threads/get-started/get-access-tokens-and-permissions */
export const checkApp: Required<Connector>["checkApp"] = (fetch, app) =>
  probeGraphApp(fetch, app, "Threads", "https://graph.threads.com/oauth/access_token");
