import type { Platform } from "../../core/platforms.ts";
import type { PaidPosts, Post } from "../../platforms/connector.ts";
import { connectorOf } from "../../platforms/registry.ts";

/** Source: spec, "X credits". */
export const COSTS = { post: 1, linkPost: 15 } as const;

export const isPaid = (platform: Platform): boolean =>
  connectorOf(platform).paidPosts !== undefined;

/** A link in the published text costs more. */
async function costOf(
  { reader }: Pick<PaidPosts, "reader">,
  post: Pick<Post, "title" | "description">,
): Promise<number> {
  const { textOf, hasLink } = await reader();
  return hasLink(textOf(post)) ? COSTS.linkPost : COSTS.post;
}

export async function costOfAll(
  paidPosts: Pick<PaidPosts, "reader">,
  posts: readonly Pick<Post, "title" | "description">[],
): Promise<number> {
  const costs = await Promise.all(posts.map((post) => costOf(paidPosts, post)));
  return costs.reduce((sum, cost) => sum + cost, 0);
}

export const periodOf = (now: Date): string => now.toISOString().slice(0, "2026-11".length);

/** On the 1st, UTC. Source: spec, "X credits". */
export const resetOf = (now: Date): Date =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));

/** Included credits are spent first. */
export interface CreditBalance {
  monthlyAllowance: number;
  includedRemaining: number;
  purchased: number;
}

export const totalOf = ({ includedRemaining, purchased }: CreditBalance): number =>
  includedRemaining + purchased;

/** A new month restores the full allowance. */
export const balanceAt = (balance: CreditBalance, at: Date, now: Date): CreditBalance =>
  periodOf(at) > periodOf(now)
    ? { ...balance, includedRemaining: balance.monthlyAllowance }
    : balance;

export function lessOf(balance: CreditBalance, spent: number): CreditBalance {
  const included = Math.min(spent, balance.includedRemaining);
  return {
    ...balance,
    includedRemaining: balance.includedRemaining - included,
    purchased: balance.purchased - (spent - included),
  };
}

export function creditRefusal(balance: CreditBalance, cost: number, now: Date): string | null {
  const total = totalOf(balance);
  if (total >= cost) return null;
  const what =
    cost === COSTS.post ? "a post" : cost === COSTS.linkPost ? "a post with a link" : "this post";
  return (
    `Not enough X credits: ${what} costs ${cost}, and ${total} are left ` +
    `(${balance.includedRemaining} of the month's ${balance.monthlyAllowance}, ` +
    `${balance.purchased} purchased). The included credits are back on ` +
    `${resetOf(now).toISOString().slice(0, "2026-12-01".length)}.`
  );
}

export const referenceOf = ({ id, attempt }: { id: number; attempt: number }): string =>
  `upload:${id}:${attempt}`;

export const packReferenceOf = (id: string): string => `pack:${id}`;
