import type { Quota } from "./sliding-window.ts";

const MINUTES = 60;

/** Calls per group, of one address unless it says otherwise. Source: spec, "Request and rate limits". */
const QUOTAS = {
  "upload-create": { limit: 50, windowSeconds: 15 * MINUTES },
  "upload-bulk": { limit: 20, windowSeconds: 15 * MINUTES },
  analytics: { limit: 100, windowSeconds: 15 * MINUTES },
  destructive: { limit: 20, windowSeconds: 15 * MINUTES },
  // Spec is silent on other writes and on polling one upload.
  write: { limit: 100, windowSeconds: 15 * MINUTES },
  // Spec is silent: the steps of a person to a platform's consent page and back; a connection takes three or four.
  connect: { limit: 400, windowSeconds: 15 * MINUTES },
  // Spec is silent: decisions of clients on a review page, of 50 posts one by one, several clients to an address.
  review: { limit: 300, windowSeconds: 15 * MINUTES },
  // Spec is silent: asking for sign-in links and trying them, by link or by passkey.
  "sign-in": { limit: 20, windowSeconds: 15 * MINUTES },
  "upload-poll": { limit: 600, windowSeconds: 5 * MINUTES },
  // Per user, whatever the address.
  presign: { limit: 120, windowSeconds: 15 * MINUTES },
  // Spec is silent: presigning, completing and aborting from one address, behind which many users may be.
  "presign-address": { limit: 2_400, windowSeconds: 15 * MINUTES },
  mcp: { limit: 60, windowSeconds: MINUTES },
  read: { limit: 100, windowSeconds: 5 * MINUTES },
  // Spec is silent on the feed of events, which is there to be asked again and again.
  "read:events": { limit: 300, windowSeconds: 5 * MINUTES },
  // Spec is silent: two videos of 1 GB, pulled from one address in ranges of 256 KB.
  media: { limit: 8_000, windowSeconds: 5 * MINUTES },
} as const satisfies Record<string, Quota>;

/** A quota of its own, or the reads of one family of resources. */
export type LimitGroup = Exclude<keyof typeof QUOTAS, "read"> | `read:${string}`;

export function quotaOf(group: LimitGroup, overrides: Record<string, Quota>): Quota {
  const known: Record<string, Quota> = QUOTAS;
  const kind = group.startsWith("read:") ? "read" : group;
  return overrides[group] ?? overrides[kind] ?? known[group] ?? QUOTAS.read;
}

/** Returns true when an owner can set a quota under this name. */
export const isLimitName = (name: string): boolean =>
  Object.hasOwn(QUOTAS, name) || /^read:[a-z-]+$/.test(name);
