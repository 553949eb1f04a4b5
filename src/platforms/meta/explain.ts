import type { ConsentRefusal } from "../consent.ts";
import type { GraphRefusal } from "./graph.ts";

/**
 * Words about the app. A wrong secret is answered with words about the redirect address too.
 *
 * @see https://developers.facebook.com/docs/graph-api/guides/error-handling
 */
const ABOUT_THE_APP =
  /client[ _]secret|client[ _]id|validating application|application id|platform app|redirect[ _]uri|appsecret_proof/i;

/** Outages and too many calls, whatever the status. A wrong secret has the first of these codes as well. */
const PASSING_CODES = new Set([1, 2, 4, 17, 32, 613]);

/** Explains a refusal on the way back from a consent page: the app's own mistakes name its owner. */
export function explainRefusal(
  platform: string,
  { status, code, isTransient, message }: GraphRefusal,
  redirectUri: string | null = null,
): ConsentRefusal {
  const said = message.replace(/\.$/, "");
  const isAboutApp = ABOUT_THE_APP.test(said);
  const isPassing = isTransient || (code !== null && PASSING_CODES.has(code));
  if (status >= 500 || status === 429 || (isPassing && !isAboutApp)) {
    return {
      failure: "unavailable",
      message: `${platform} has a problem: ${said}. Try again later.`,
    };
  }
  if (!isAboutApp) {
    return {
      failure: "refused",
      message: `${platform} refused: ${said}. Connect the account again.`,
    };
  }
  const name = platform.toUpperCase();
  const address = redirectUri === null ? "" : `, and that ${redirectUri} is registered there`;
  return {
    failure: "refused",
    message: `${platform} does not know this instance's app: ${said}. Its owner has to check ${name}_CLIENT_ID and ${name}_CLIENT_SECRET${address}.`,
  };
}
