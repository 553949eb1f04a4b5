import type { Platform } from "../../core/platforms.ts";
import type { PaidPosts, Post } from "../../platforms/connector.ts";
import { connectorOf } from "../../platforms/registry.ts";

/** X credits that a post costs. Source: spec, "X credits". */
export const COSTS = { post: 1, linkPost: 15 } as const;

/** Returns true for a platform whose posts are paid with credits. */
export const isPaid = (platform: Platform): boolean =>
  connectorOf(platform).paidPosts !== undefined;

/** Returns what a post costs, by the text that its platform gets. */
export async function costOf(
  { reader }: PaidPosts,
  post: Pick<Post, "title" | "description">,
): Promise<number> {
  const { textOf, hasLink } = await reader();
  return hasLink(textOf(post)) ? COSTS.linkPost : COSTS.post;
}

/** The month whose allowance pays: 2026-11, UTC. */
export const periodOf = (now: Date): string => now.toISOString().slice(0, "2026-11".length);

/** When the included credits are all there again. Source: spec, "X credits": the 1st, UTC. */
export const resetOf = (now: Date): Date =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));

/** The credits of a team. Included ones are spent first. */
export interface CreditBalance {
  monthlyAllowance: number;
  includedRemaining: number;
  purchased: number;
}

export const totalOf = ({ includedRemaining, purchased }: CreditBalance): number =>
  includedRemaining + purchased;

/** The balance at that time: in a later month than this, all that the plan includes is there. */
export const balanceAt = (balance: CreditBalance, at: Date, now: Date): CreditBalance =>
  periodOf(at) > periodOf(now)
    ? { ...balance, includedRemaining: balance.monthlyAllowance }
    : balance;

/** The balance after `spent`, included credits first. */
export function lessOf(balance: CreditBalance, spent: number): CreditBalance {
  const included = Math.min(spent, balance.includedRemaining);
  return {
    ...balance,
    includedRemaining: balance.includedRemaining - included,
    purchased: balance.purchased - (spent - included),
  };
}

/** Returns why a post cannot be paid for, in words for its owner; null when it can. */
export function creditRefusal(balance: CreditBalance, cost: number, now: Date): string | null {
  const total = totalOf(balance);
  if (total >= cost) return null;
  const what = cost === COSTS.linkPost ? "a post with a link" : "a post";
  return (
    `Not enough X credits: ${what} costs ${cost}, and ${total} are left ` +
    `(${balance.includedRemaining} of the month's ${balance.monthlyAllowance}, ` +
    `${balance.purchased} purchased). The included credits are back on ` +
    `${resetOf(now).toISOString().slice(0, "2026-12-01".length)}.`
  );
}

/** The reference of an attempt to publish in the ledger. */
export const referenceOf = ({ id, attempt }: { id: number; attempt: number }): string =>
  `upload:${id}:${attempt}`;

/** The reference of a pack in the ledger. */
export const packReferenceOf = (id: string): string => `pack:${id}`;
