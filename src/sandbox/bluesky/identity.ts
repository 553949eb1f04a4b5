import type { PasswordLogin } from "../../platforms/login.ts";
import { toLabel } from "../kit/label.ts";
import { toBase32 } from "./cid.ts";

/** The server that simulated accounts live on. */
export const SANDBOX_SERVICE = "https://pds.sandbox.bsky.network";

/** `.test` is reserved, so no person's handle can ever look like one of these. */
const HANDLE_DOMAIN = "sandbox.test";

/** The app password of every simulated account; it opens nothing else. */
export const SANDBOX_APP_PASSWORD = "sand-boxx-demo-pass";

/** The handle of a sandbox account: its name in small letters under a domain that cannot exist. */
export const sandboxHandle = (name: string): string => `${toLabel(name)}.${HANDLE_DOMAIN}`;

/**
 * A login that the connector's own `login` succeeds with against the simulator. The account comes into
 * being with it; the same name is the same account.
 */
export const sandboxLogin = (name: string): PasswordLogin => ({
  identifier: sandboxHandle(name),
  appPassword: SANDBOX_APP_PASSWORD,
  service: SANDBOX_SERVICE,
});

const HANDLE = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Returns true for handles of the simulated network: our own domain and `*.bsky.social`. */
export const isSimulatedHandle = (handle: string): boolean =>
  HANDLE.test(handle) &&
  handle.length <= 253 &&
  (handle.endsWith(`.${HANDLE_DOMAIN}`) || handle.endsWith(".bsky.social"));

/** The DID of a handle: 24 base32 characters, always the same ones. */
export async function didOf(handle: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(handle));
  return `did:plc:${toBase32(new Uint8Array(hash).subarray(0, 15))}`;
}

/** `demo-account.sandbox.test` → `Demo Account`. */
export const displayNameOf = (handle: string): string =>
  (handle.split(".")[0] ?? handle)
    .split("-")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ");
