import { AppError } from "../../core/errors.ts";
import { DAY, MINUTE } from "../../core/time.ts";
import type { ConnectionLinkRow } from "./table.ts";

/** Source: spec, "Other limits". */
export const DEFAULT_LINK_HOURS = 24;
/** How long a link can be open: 30 days. Spec is silent. */
export const MAX_LINK_HOURS = 720;
/** Links of a team that wait for somebody, at a time. Spec is silent. */
export const MAX_PENDING_LINKS = 100;
/** Links that a list has, besides all that are pending: the newest. Spec is silent. */
export const MAX_LISTED_LINKS = 200;
/** How long a link that has ended is remembered, so that its page can say what became of it. */
export const LINKS_KEPT_MS = 30 * DAY;
/** A claim that has come to no account by then has failed: the link can be used again. */
const CLAIM_MS = 2 * MINUTE;

/** Claims from before this moment do not hold a link any more. */
export const claimsEndAt = (now: Date): Date => new Date(now.getTime() - CLAIM_MS);

/** Source: spec, "States and transitions", which names `pending` alone. */
export const LINK_STATUSES = ["pending", "connected", "expired"] as const;
export type LinkStatus = (typeof LINK_STATUSES)[number];

export function linkStatus(
  { accountId, expiresAt }: Pick<ConnectionLinkRow, "accountId" | "expiresAt">,
  now: Date,
): LinkStatus {
  if (accountId !== null) return "connected";
  return expiresAt > now ? "pending" : "expired";
}

export const tooManyLinks = (): AppError =>
  new AppError(
    "PLAN_LIMIT",
    `The team has ${MAX_PENDING_LINKS} pending links, which is the most. Delete some, then make a new one.`,
  );

/** Returns the reason why a link is not deleted. */
export function deletionRefusal(status: LinkStatus): AppError {
  const why = {
    connected:
      "An account was connected by this link, so it can no longer be used. To remove the account, disconnect it.",
    expired: "This link has expired and can no longer be used.",
    pending: "Somebody is connecting an account by this link right now. Look again in two minutes.",
  }[status];
  return new AppError("NOT_CANCELLABLE", why);
}
