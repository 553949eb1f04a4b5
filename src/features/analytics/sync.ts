import { AppError, notFound } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import type { MetricsReader } from "../../platforms/metrics.ts";
import { accountById } from "../accounts/repo.ts";
import { accountRefusal } from "../accounts/rules.ts";
import type { AccountRow } from "../accounts/table.ts";
import { collect, isTooSoon, measuresOf, readerOf, uploadIdsOf } from "./collect.ts";
import { findMeasured, planOf, rehearsedPosts } from "./repo/read.ts";
import { type OwnRow, ownPosts } from "./repo/write.ts";
import { requireAnalytics, requireOwn } from "./rules/access.ts";
import { askedAt } from "./rules/nights.ts";
import { MAX_POSTS } from "./rules/series.ts";
import type { AccountAnalytics, OverviewQuery } from "./schema.ts";
import { getAccountAnalytics } from "./service.ts";
import { storeSync } from "./store.ts";

/** Keeps a sync within the free plan's 50 subrequests. Source: Workers, "Limits". */
const PLATFORM_CALLS = 34;
const NEXT_PART_SECONDS = 5;

/** @throws AppError FORBIDDEN by the plan, for another team's account or for a member; NOT_FOUND; ACCOUNT_INACTIVE */
export async function syncAccount(
  ctx: Ctx,
  id: string,
  query: Omit<OverviewQuery, "tags">,
): Promise<AccountAnalytics> {
  const { team } = ctx;
  const [[plan], [account], [measured], own, rehearsed] = await ctx.read("analytics:read", [
    planOf(team),
    accountById(team, id),
    findMeasured({ team, id }),
    ownPosts({ team, id, max: MAX_POSTS }),
    rehearsedPosts({ team, id }),
  ]);
  requireAnalytics(ctx, plan);
  const { syncedAt } = requireOwn(measured);
  if (!account) throw notFound("Account");
  if (ctx.actor.role === "MEMBER") {
    throw new AppError("FORBIDDEN", "Only owners and admins of the team may sync an account.");
  }
  const refusal = accountRefusal(account, ctx.config);
  if (refusal) throw new AppError("ACCOUNT_INACTIVE", refusal);
  const reader = readerOf(account);
  if (reader && !isTooSoon(reader, syncedAt, ctx.now())) {
    await readNow(ctx, reader, account, { own, rehearsed });
  }
  return getAccountAnalytics(ctx, id, query);
}

async function readNow(
  ctx: Ctx,
  reader: MetricsReader,
  account: AccountRow,
  { own, rehearsed }: { own: readonly OwnRow[]; rehearsed: readonly string[] },
): Promise<void> {
  const { teamId, id: accountId } = account;
  const { reading, errors, next, refusal } = await collect(ctx, reader, {
    account,
    own,
    from: null,
    max: MAX_POSTS,
    hasRoom: (calls, spent) => spent + calls <= PLATFORM_CALLS,
  });
  const collection = askedAt(ctx.now());
  // After a refusal, the caller decides when to retry.
  const goesOn = next !== null && !refusal;
  const rest = {
    message: `The newest ${next?.read ?? 0} posts were read. The others are read in the next minutes.`,
    at: ctx.now().getTime(),
  };
  const isStored = await storeSync(ctx, {
    teamId,
    accountId,
    reading,
    measures: measuresOf(ctx, account.platform),
    uploadIds: uploadIdsOf(own),
    rehearsed,
    errors: goesOn ? [...errors, rest] : errors,
    ...(goesOn ? { collection: { night: collection, bookmark: next } } : {}),
  });
  if (!goesOn || !isStored) return;
  const message = { kind: "collect" as const, teamId, accountId, collection };
  await ctx.collectQueue.send(message, { delaySeconds: NEXT_PART_SECONDS });
}
