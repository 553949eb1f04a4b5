import { toLabel } from "../kit/label.ts";
import { toBase32 } from "./cid.ts";

export const SANDBOX_SERVICE = "https://pds.sandbox.bsky.network";

/** A reserved domain, which no real handle has. */
const HANDLE_DOMAIN = "sandbox.test";

export const SANDBOX_APP_PASSWORD = "sand-boxx-demo-pass";

export const sandboxHandle = (name: string): string => `${toLabel(name)}.${HANDLE_DOMAIN}`;

export const sandboxLogin = (name: string) => ({
  identifier: sandboxHandle(name),
  appPassword: SANDBOX_APP_PASSWORD,
  service: SANDBOX_SERVICE,
});

const HANDLE = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;

export const isSimulatedHandle = (handle: string): boolean =>
  HANDLE.test(handle) &&
  handle.length <= 253 &&
  (handle.endsWith(`.${HANDLE_DOMAIN}`) || handle.endsWith(".bsky.social"));

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
