import type { ConsentRefusal } from "../consent.ts";
import { isScopeRefusal, refusedForScopes } from "../kit/consents.ts";
import type { GraphRefusal } from "./graph.ts";

/**
 * For a wrong secret, Meta may blame the redirect URL.
 * @see https://developers.facebook.com/docs/graph-api/guides/error-handling
 */
const ABOUT_THE_APP =
  /client[ _]secret|client[ _]id|validating application|application id|platform app|redirect[ _]uri|appsecret_proof/i;

/** Instagram's answer to another app's id, such as the Meta app's. */
const OTHER_APP_ID = /invalid platform app/i;

/** Temporary at any HTTP status. A wrong app secret also gets code 1. */
const TEMPORARY_CODES = new Set([1, 2, 4, 17, 32, 613]);

export function explainRefusal(
  platform: string,
  { status, code, isTransient, message }: GraphRefusal,
  redirectUri: string | null = null,
): ConsentRefusal {
  const wording = message.replace(/\.$/, "");
  const isAboutApp = ABOUT_THE_APP.test(wording);
  const isTemporary = isTransient || (code !== null && TEMPORARY_CODES.has(code));
  if (status >= 500 || status === 429 || (isTemporary && !isAboutApp)) {
    return {
      failure: "unavailable",
      message: `${platform} has a problem: ${wording}. Try again later.`,
    };
  }
  if (isScopeRefusal(null, wording)) return refusedForScopes(platform, wording);
  if (!isAboutApp) {
    return {
      failure: "refused",
      message: `${platform} refused: ${wording}. Connect the account again.`,
    };
  }
  const hint = OTHER_APP_ID.test(wording)
    ? ` The id is the ${platform} app id, which stands beside its secret in the ${platform} set-up of the Meta app; the id of the Meta app itself is another one.`
    : "";
  const name = platform.toUpperCase();
  const address = redirectUri === null ? "" : `, and that ${redirectUri} is registered there`;
  return {
    failure: "refused",
    message: `${platform} does not know this instance's app: ${wording}. Its owner has to check ${name}_CLIENT_ID and ${name}_CLIENT_SECRET${address}.${hint}`,
  };
}
