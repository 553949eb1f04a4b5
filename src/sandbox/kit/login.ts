import type { Platform } from "../../core/platforms.ts";
import type { Credentials } from "../../platforms/login.ts";

/**
 * Tokens are `sandbox.<platform>.<name>/<consent>`, with a percent-encoded name. The first call with one creates the
 * account.
 *
 * @param consent distinguishes logins of one account, because revoked tokens stay revoked
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

export function readSandboxName(login: string): string | null {
  const [name = ""] = login.split("/");
  try {
    return decodeURIComponent(name) || null;
  } catch {
    return null;
  }
}
