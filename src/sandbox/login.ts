import type { Platform } from "../core/platforms.ts";
import type { Credentials, PasswordLogin } from "../platforms/connector.ts";
import { SANDBOX_APP_PASSWORD, SANDBOX_SERVICE, sandboxHandle } from "./bluesky/identity.ts";

/**
 * A login that the Bluesky connector's own `login` succeeds with against the simulator. The account
 * comes into being with it; the same name is the same account.
 */
export const sandboxLogin = (name: string): PasswordLogin => ({
  identifier: sandboxHandle(name),
  appPassword: SANDBOX_APP_PASSWORD,
  service: SANDBOX_SERVICE,
});

/**
 * Tokens that a simulated platform takes for a login which a person gave in the browser: the account of
 * that name comes into being with the first call. Written `sandbox.<platform>.<name>`, the name
 * percent-encoded; what the simulator gives out later are tokens of its own.
 */
export const sandboxCredentials = (platform: Platform, name: string): Credentials => ({
  accessToken: `sandbox.${platform}.${encodeURIComponent(name)}`,
  refreshToken: `sandbox-refresh.${platform}.${encodeURIComponent(name)}`,
  expiresAt: null,
});
