import type { Quota } from "./sliding-window.ts";

const MINUTES = 60;

/** Calls per address, unless noted. Source: spec, "Request and rate limits". */
const QUOTAS = {
  "upload-create": { limit: 50, windowSeconds: 15 * MINUTES },
  "upload-bulk": { limit: 20, windowSeconds: 15 * MINUTES },
  analytics: { limit: 100, windowSeconds: 15 * MINUTES },
  destructive: { limit: 20, windowSeconds: 15 * MINUTES },
  // Spec is silent on other writes and on polling one upload.
  write: { limit: 100, windowSeconds: 15 * MINUTES },
  // Spec is silent: a composer saves every 10 seconds of typing, and asks for refusals and previews in between.
  compose: { limit: 600, windowSeconds: 15 * MINUTES },
  // Spec is silent on connections: each one takes three or four calls.
  connect: { limit: 400, windowSeconds: 15 * MINUTES },
  // Spec is silent on review pages, where clients may decide on 50 posts each.
  review: { limit: 300, windowSeconds: 15 * MINUTES },
  // Spec is silent on sign-in links and passkeys.
  "sign-in": { limit: 20, windowSeconds: 15 * MINUTES },
  "upload-poll": { limit: 600, windowSeconds: 5 * MINUTES },
  // Counted per user, not per address.
  presign: { limit: 120, windowSeconds: 15 * MINUTES },
  // Spec is silent: many users may share one address.
  "presign-address": { limit: 2_400, windowSeconds: 15 * MINUTES },
  mcp: { limit: 60, windowSeconds: MINUTES },
  read: { limit: 100, windowSeconds: 5 * MINUTES },
  // Spec is silent: by grant, or by address for what this instance did not make.
  oauth: { limit: 300, windowSeconds: 15 * MINUTES },
  // Spec is silent: guesses of the code that a device shows, by person.
  "device-code": { limit: 5, windowSeconds: 15 * MINUTES },
  // Spec is silent: many people may share one address.
  "device-code-address": { limit: 50, windowSeconds: 15 * MINUTES },
  // Spec is silent: programs register from a few addresses for all of their users.
  "oauth-register": { limit: 60, windowSeconds: 60 * MINUTES },
  // Spec is silent on the event feed, which clients poll.
  "read:events": { limit: 300, windowSeconds: 5 * MINUTES },
  // Spec is silent; some look-ups cost money.
  "read:mentions": { limit: 30, windowSeconds: 5 * MINUTES },
  // Spec is silent: one address may fetch two videos of 1 GB in ranges of 256 KB.
  media: { limit: 8_000, windowSeconds: 5 * MINUTES },
} as const satisfies Record<string, Quota>;

export type LimitGroup = Exclude<keyof typeof QUOTAS, "read"> | `read:${string}`;

export function quotaOf(group: LimitGroup, overrides: Record<string, Quota>): Quota {
  const quotas: Record<string, Quota> = QUOTAS;
  const kind = group.startsWith("read:") ? "read" : group;
  return overrides[group] ?? overrides[kind] ?? quotas[group] ?? QUOTAS.read;
}

/** Whether an owner can configure a quota. */
export const isLimitName = (name: string): boolean =>
  Object.hasOwn(QUOTAS, name) || /^read:[a-z-]+$/.test(name);
