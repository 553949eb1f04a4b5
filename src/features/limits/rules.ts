import { formatCount } from "../../core/counts.ts";
import { AppError } from "../../core/errors.ts";
import type { Plan } from "../../core/plans.ts";
import type { Platform } from "../../core/platforms.ts";
import { DAY } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { connectorOf, connectors } from "../../platforms/registry.ts";
import { accountRefusal } from "../accounts/rules.ts";
import type { AccountRow } from "../accounts/table.ts";
import {
  balanceAt,
  type CreditBalance,
  costOfAll,
  creditRefusal,
  lessOf,
  periodOf,
} from "../credits/rules.ts";
import { type Part, textsOf } from "../posts/parts.ts";
import { MAX_DRAFTS } from "../posts/rules.ts";

/** Source: spec, "Daily posting caps". */
export const CAP_WINDOW_MS = DAY;

export const dailyCapOf = ({ config }: Pick<Deps, "config">, platform: Platform): number =>
  config.plans.dailyCaps[platform] ?? connectorOf(platform).capabilities.dailyPostCap;

export const dailyCaps = (deps: Pick<Deps, "config">): Record<string, number> =>
  Object.fromEntries(connectors().map(({ platform }) => [platform, dailyCapOf(deps, platform)]));

/** Waiting and running posts. Spec is silent. */
export const MAX_TEAM_IN_PROGRESS = 1_000;

/** An account with its use of limits, read before a post is accepted. */
export interface AccountFacts {
  account: AccountRow;
  /** Posts of the last 24 hours, including those being published. */
  used: number;
  /** When the oldest counted post leaves the 24-hour window; null when none counts. */
  resetAt: Date | null;
  inProgress: number;
  teamInProgress: number;
  /** Drafts and posts awaiting approval; null when not counted. */
  drafts: number | null;
  plan: Plan;
  /** By month, such as 2026-12, from the current month on; empty without a quota. */
  postsByMonth: Record<string, number>;
  blocklist: string[];
  /** The team's own list; null: the platform's list applies. */
  bannedHashtags: string[] | null;
  /** Null on platforms that cost no credits. */
  credits: CreditBalance | null;
}

/** Waiting and running posts. Spec is silent. */
const MAX_ACCOUNT_IN_PROGRESS = 100;

/** The wire form of a broken cap or rule. Source: spec, "Errors", the 429 of a cap. */
export interface Violation {
  platform: Platform;
  type: "hard_cap" | "duplicate_content" | "mention_spam" | "unsafe_content";
  message: string;
  used_last_24h?: number;
  cap?: number;
  /** The earlier post of a duplicate. */
  uploadId?: number;
}

export function capViolation(
  deps: Deps,
  { account, used, resetAt }: AccountFacts,
  posts = 1,
): Violation | null {
  const { platform, accountName } = account;
  const { name } = connectorOf(platform);
  const cap = dailyCapOf(deps, platform);
  if (used + posts <= cap) return null;
  const when = resetAt ? ` There is room again at ${resetAt.toISOString()}.` : "";
  return {
    platform,
    type: "hard_cap",
    message:
      used < cap
        ? `The thread has ${posts} posts, and ${accountName} has ${cap - used} left of its ${cap} in 24 hours on ${name}.${when}`
        : `${accountName} has reached its ${cap} posts in 24 hours on ${name}.${when}`,
    used_last_24h: used,
    cap,
  };
}

/** @throws AppError ACCOUNT_INACTIVE when a stored post's account is disconnected */
export function requireConnected(
  facts: AccountFacts | undefined,
  message = "The account is no longer connected. Connect it again, then create a new post.",
): AccountFacts {
  if (facts) return facts;
  throw new AppError("ACCOUNT_INACTIVE", message);
}

/** @throws AppError ACCOUNT_INACTIVE */
export function requireActive({ config }: Pick<Deps, "config">, { account }: AccountFacts): void {
  const refusal = accountRefusal(account, config);
  if (refusal) throw new AppError("ACCOUNT_INACTIVE", refusal);
}

/**
 * Checks the month of `at`. `more`: posts that this call accepted before.
 *
 * @throws AppError PLAN_LIMIT
 */
export function requireQuota({ plan, postsByMonth }: AccountFacts, at: Date, more = 0): void {
  const month = periodOf(at);
  if (plan.monthlyPosts !== null && (postsByMonth[month] ?? 0) + more >= plan.monthlyPosts) {
    throw new AppError("PLAN_LIMIT", quotaUsedUp(plan, at));
  }
}

export const quotaUsedUp = ({ monthlyPosts }: Plan, at: Date): string =>
  `The plan's ${monthlyPosts} posts of ${periodOf(at)} are used up.`;

/**
 * Checks plan and queue for a post at `at`. `more`: posts that this call accepted before.
 *
 * @throws AppError PLAN_LIMIT, QUEUE_FULL, QUEUE_BUSY
 */
export function requireRoom(facts: AccountFacts, at: Date, more = 0): void {
  const { account, plan, teamInProgress, inProgress } = facts;
  if (plan.platforms?.includes(account.platform) === false) {
    const message = `The team's plan does not include ${connectorOf(account.platform).name}.`;
    throw new AppError("PLAN_LIMIT", message, { isPassing: false });
  }
  requireQuota(facts, at, more);
  if (teamInProgress + more >= MAX_TEAM_IN_PROGRESS) {
    const message = `The team has ${MAX_TEAM_IN_PROGRESS} posts in progress. Wait until some are published.`;
    throw new AppError("QUEUE_FULL", message);
  }
  if (inProgress >= MAX_ACCOUNT_IN_PROGRESS) {
    const message = `${account.accountName} has ${MAX_ACCOUNT_IN_PROGRESS} posts in progress. Wait until some are published.`;
    throw new AppError("QUEUE_BUSY", message);
  }
}

/**
 * `more`: posts that this call accepted before. Passes when drafts were not counted: the inserting statement checks
 * again.
 *
 * @throws AppError QUEUE_FULL
 */
export function requireDraftRoom({ drafts }: AccountFacts, more: number): void {
  if (drafts === null || drafts + more < MAX_DRAFTS) return;
  const message = `The team has ${formatCount(MAX_DRAFTS)} drafts and posts that await approval. Delete some first.`;
  throw new AppError("QUEUE_FULL", message);
}

/**
 * Returns the cost of a post at `at`. `spoken`: the cost of other posts of the same call.
 *
 * @throws AppError PLAN_LIMIT, with the balance in words
 */
export async function requireCredits(
  { account, credits }: AccountFacts,
  post: { title: string | null; description: string | null; parts?: readonly Part[] | null },
  at: Date,
  now: Date,
  spoken = 0,
): Promise<number> {
  const { paidPosts } = connectorOf(account.platform);
  if (!credits || !paidPosts) return 0;
  const cost = await costOfAll(paidPosts, textsOf(post));
  const refusal = creditRefusal(lessOf(balanceAt(credits, at, now), spoken), cost, at);
  if (refusal) throw new AppError("PLAN_LIMIT", refusal);
  return cost;
}
