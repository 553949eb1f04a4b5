import type { Platform } from "../../core/platforms.ts";
import type { Scope } from "../../core/scopes.ts";
import { named } from "../../db/named.ts";
import type { Ctx } from "../../deps.ts";
import { mayUse } from "../auth/rules.ts";
import { type Looked, look } from "../idempotency/once.ts";
import {
  type Claim,
  DUPLICATE_WINDOW_MS,
  eachOnce,
  type RecentPost,
} from "../limits/content-rules.ts";
import { claimHolders, recentPosts } from "../limits/repo/compared.ts";
import { accountFacts } from "../limits/repo/facts.ts";
import type { AccountFacts } from "../limits/rules.ts";
import { filesByHash, type MediaRow } from "../media/repo.ts";
import { type NewPost, plannedDate } from "./new-post.ts";

export const SCOPE: Scope = "posts:write";

export interface Findings {
  facts: AccountFacts[];
  recent: RecentPost[];
  files: MediaRow[];
}

type Question = Pick<NewPost, "call" | "accountIds" | "scheduledFor" | "overrides" | "media">;

/** A call is compared with at most this many posts before its date, and as many after, over all its accounts. */
const MAX_COMPARED = 3_000;
const MAX_COMPARED_PER_ACCOUNT = 300;
const MIN_COMPARED_PER_ACCOUNT = 30;

const comparedPerAccount = (accounts: number): number =>
  Math.min(
    MAX_COMPARED_PER_ACCOUNT,
    Math.max(MIN_COMPARED_PER_ACCOUNT, Math.floor(MAX_COMPARED / accounts)),
  );

interface Further {
  countsDrafts?: boolean;
  /** Posts that hold these claims are read beyond `MAX_COMPARED`. */
  claims?: readonly Claim[];
}

/**
 * Reads the facts for judging a post, and authenticates the caller, in one round trip.
 *
 * @throws AppError for a refused caller
 */
export async function lookUp(
  ctx: Ctx,
  question: Question,
  { countsDrafts = false, claims = [] }: Further = {},
): Promise<Looked<Findings>> {
  const { call, accountIds, media } = question;
  const hashes = media.flatMap((item) => ("sha256" in item ? [item.sha256] : []));
  if (accountIds.length === 0) {
    const files = await ctx.read(SCOPE, hashes.length > 0 ? [filesByHash(ctx.team, hashes)] : []);
    return { findings: { facts: [], recent: [], files: files.flat() }, stored: null };
  }
  const now = ctx.now();
  const dateOf = (id: string, platform: Platform | null): Date =>
    plannedDate(question, { id, platform }).scheduledFor ?? now;
  const around = (accountId: string, at: Date) =>
    recentPosts(ctx.team, {
      accountId,
      at,
      windowMs: DUPLICATE_WINDOW_MS,
      mostEach: comparedPerAccount(accountIds.length),
    });
  const { queries, read } = named({
    facts: accountFacts(ctx, ctx.team, accountIds, { countsDrafts }),
    recent: accountIds.map((id) => around(id, dateOf(id, null))),
    files: hashes.length > 0 ? filesByHash(ctx.team, hashes) : null,
    holders: claims.length > 0 ? claimHolders(claims) : null,
  });
  const { findings, stored } = await look(ctx, SCOPE, call, queries);
  const { facts: all, recent, files, holders } = read(findings);
  const facts = all.filter(({ account }) => mayUse(ctx.actor, account.id));
  // The platform of an account, and with it a date of the platform's own, is known only now.
  const moved = facts.flatMap(({ account: { id, platform } }) => {
    const at = dateOf(id, platform);
    return at.getTime() === dateOf(id, null).getTime() ? [] : [around(id, at)];
  });
  const others = moved.length > 0 ? await ctx.db.run(moved) : [];
  const posts = eachOnce([...recent.flat(), ...others.flat(), ...(holders ?? [])]);
  return { findings: { facts, recent: posts, files: files ?? [] }, stored };
}
