import type { PasswordLogin } from "../platforms/connector.ts";
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
