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

/** Scope of every call that creates posts. */
export const SCOPE: Scope = "posts:write";

/** Facts about a new post's accounts and files, read before it is judged. */
export interface Known {
  /** The named accounts that are the team's. */
  facts: AccountFacts[];
  /** Posts of these accounts around the same time, out or planned. */
  recent: RecentPost[];
  /** The files that the post names, as far as the team has them. */
  files: MediaRow[];
}

/** The part of a new post that decides which facts are read. */
type Question = Pick<NewPost, "call" | "accountIds" | "scheduledFor" | "media">;

/** Posts with which those of one call are compared, before and after their time; each account has some. */
const MAX_COMPARED = 3_000;
const MAX_COMPARED_PER_ACCOUNT = 300;
const MIN_COMPARED_PER_ACCOUNT = 30;

const comparedPerAccount = (accounts: number): number =>
  Math.min(
    MAX_COMPARED_PER_ACCOUNT,
    Math.max(MIN_COMPARED_PER_ACCOUNT, Math.floor(MAX_COMPARED / accounts)),
  );

interface Further {
  /** Counts the team's drafts as well. */
  countsDrafts?: boolean;
  /** Claims that another call may hold: the posts that do are among the recent ones, however many there are. */
  claims?: readonly Claim[];
}

/**
 * Reads the facts in one round trip, which authenticates too where that is still to be done.
 *
 * @throws AppError what `ctx.read` throws
 */
export async function lookUp(
  ctx: Ctx,
  { call, accountIds, scheduledFor, media }: Question,
  { countsDrafts = false, claims = [] }: Further = {},
): Promise<Looked<Known>> {
  if (accountIds.length === 0) {
    await ctx.read(SCOPE, []);
    return { known: { facts: [], recent: [], files: [] }, stored: null };
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
  const { known, stored } = await look(ctx, SCOPE, call, queries);
  const { facts, recent, files, holders } = read(known);
  const posts = eachOnce([...recent.flat(), ...(holders ?? [])]);
  return { known: { facts, recent: posts, files: files ?? [] }, stored };
}
