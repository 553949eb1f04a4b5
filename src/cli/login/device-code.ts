import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { MINUTE, SECOND } from "../../core/time.ts";
import { Problem } from "../program.ts";
import { TemporaryProblem, TRY_LATER } from "../retry.ts";
import {
  ownAddress,
  post,
  postForTokens,
  SignInRefusal,
  type SignInServer,
  seconds,
  type Tokens,
} from "./server.ts";

/** Source: RFC 8628, 3.4 and 3.5. */
const GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const SLOWER_SECONDS = 5;

const MINUTE_SECONDS = MINUTE / SECOND;

const begun = z.object({
  device_code: z.string(),
  user_code: z.string().regex(/^[A-Z0-9-]{4,20}$/),
  verification_uri: z.string(),
  verification_uri_complete: z.string(),
  expires_in: seconds(MINUTE_SECONDS, 30 * MINUTE_SECONDS),
  interval: seconds(1, MINUTE_SECONDS).default(5),
});

interface SignIn {
  server: SignInServer;
  resource: string;
  scope: string;
  stopping: AbortSignal;
  show(lines: readonly string[]): void;
}

/**
 * Signs in by a code that the person types on any device.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8628
 * @throws Problem for a refusal, for a page of another server, and when the code has expired
 */
export async function signInByCode(signIn: SignIn): Promise<Tokens> {
  const { server, resource, scope, stopping, show } = signIn;
  const { data } = begun.safeParse(await post(server.deviceEndpoint, { scope, resource }));
  if (!data) throw new Problem(`${server.deviceEndpoint} gives no code that can be typed.`);
  const page = ownAddress(data.verification_uri, server.origin);
  const complete = ownAddress(data.verification_uri_complete, server.origin);
  show([
    `Open this page on any device: ${page}`,
    `and type this code there:     ${data.user_code}`,
    "",
    `Or open ${complete}`,
    `The code lasts ${Math.floor(data.expires_in / MINUTE_SECONDS)} minutes. Waiting …`,
  ]);
  const deadline = Date.now() + data.expires_in * SECOND;
  let wait = data.interval;
  for (;;) {
    await sleep(wait * SECOND, undefined, { signal: stopping });
    try {
      return await postForTokens(server.tokenEndpoint, {
        grant_type: GRANT,
        device_code: data.device_code,
        resource,
      });
    } catch (error) {
      const code = error instanceof SignInRefusal ? error.code : null;
      const isWaiting = code === "authorization_pending" || error instanceof TemporaryProblem;
      if (code === "slow_down") wait += SLOWER_SECONDS;
      else if (code === "access_denied") {
        throw new Problem("You are not signed in: it was refused on the page.");
      } else if (code !== "expired_token" && !isWaiting) throw error;
      if (code === "expired_token" || Date.now() > deadline) {
        throw new Problem("The code has expired. Start again.", TRY_LATER);
      }
    }
  }
}
