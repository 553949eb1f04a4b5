import type { Platform } from "../../core/platforms.ts";
import type { Credentials } from "../../platforms/login.ts";

/**
 * Tokens that a simulated platform takes for a login which a person gave in the browser: the account of
 * that name comes into being with the first call. Written `sandbox.<platform>.<name>/<consent>`, the name
 * percent-encoded; what the simulator gives out later are tokens of its own.
 *
 * @param consent tells one login of an account from the next: tokens that were ended stay so
 */
export function sandboxCredentials(
  platform: Platform,
  name: string,
  consent: string | null = null,
): Credentials {
  const login = `${platform}.${encodeURIComponent(name.toWellFormed())}${consent === null ? "" : `/${consent}`}`;
  return {
    accessToken: `sandbox.${login}`,
    refreshToken: `sandbox-refresh.${login}`,
    expiresAt: null,
  };
}

/**
 * A token of an hour or so, as a login in the browser first leads to at Meta's platforms.
 *
 * @param consent tells one login of an account from the next
 */
export const sandboxShortToken = (platform: Platform, name: string, consent: string): string =>
  `sandbox-short.${platform}.${encodeURIComponent(name.toWellFormed())}/${consent}`;

/** The name in the part of such a token that follows `<platform>.`; null for what is none. */
export function readSandboxName(login: string): string | null {
  const [name = ""] = login.split("/");
  try {
    return decodeURIComponent(name) || null;
  } catch {
    return null;
  }
}
