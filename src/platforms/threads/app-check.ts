import type { Fetch } from "../connector.ts";
import type { AppCheck, AppKeys } from "../login.ts";
import { probeGraphApp } from "../meta/app-check.ts";

/** @see https://developers.facebook.com/docs/threads/get-started/get-access-tokens-and-permissions */
export const checkApp = (fetch: Fetch, app: AppKeys): Promise<AppCheck> =>
  probeGraphApp(fetch, {
    platform: "Threads",
    endpoint: "https://graph.threads.com/oauth/access_token",
    app,
  });
