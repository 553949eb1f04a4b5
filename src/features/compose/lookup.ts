import type { Scope } from "../../core/scopes.ts";
import { named } from "../../db/named.ts";
import type { Ctx } from "../../deps.ts";
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
import type { NewPost } from "./new-post.ts";

export const SCOPE: Scope = "posts:write";

export interface Findings {
  facts: AccountFacts[];
  recent: RecentPost[];
  files: MediaRow[];
}

type Question = Pick<NewPost, "call" | "accountIds" | "scheduledFor" | "media">;

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
  { call, accountIds, scheduledFor, media }: Question,
  { countsDrafts = false, claims = [] }: Further = {},
): Promise<Looked<Findings>> {
  if (accountIds.length === 0) {
    await ctx.read(SCOPE, []);
    return { findings: { facts: [], recent: [], files: [] }, stored: null };
  }
  const around = {
    at: scheduledFor ?? ctx.now(),
    windowMs: DUPLICATE_WINDOW_MS,
    mostEach: comparedPerAccount(accountIds.length),
  };
  const hashes = media.flatMap((item) => ("sha256" in item ? [item.sha256] : []));
  const { queries, read } = named({
    facts: accountFacts(ctx, ctx.team, accountIds, { countsDrafts }),
    recent: accountIds.map((accountId) => recentPosts(ctx.team, { accountId, ...around })),
    files: hashes.length > 0 ? filesByHash(ctx.team, hashes) : null,
    holders: claims.length > 0 ? claimHolders(claims) : null,
  });
  const { findings, stored } = await look(ctx, SCOPE, call, queries);
  const { facts, recent, files, holders } = read(findings);
  const posts = eachOnce([...recent.flat(), ...(holders ?? [])]);
  return { findings: { facts, recent: posts, files: files ?? [] }, stored };
}
