import { notFound } from "../../core/errors.ts";
import type { Platform } from "../../core/platforms.ts";
import { coversScope } from "../../core/scopes.ts";
import type { Ctx } from "../../deps.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { accountById } from "../accounts/repo.ts";
import { mayUse } from "../auth/rules.ts";
import { textOf } from "../limits/content-rules.ts";
import { wordRulesOf } from "../limits/repo/facts.ts";
import { uploadPage } from "../posts/repo/read.ts";
import * as repo from "./repo/read.ts";
import { hasAnalytics } from "./rules/access.ts";
import { type SuggestedHashtag, suggestHashtags } from "./rules/hashtags.ts";
import { topHashtags } from "./rules/summary.ts";

/** Newest published posts that are searched. Spec is silent. */
export const LOOKED_AT = 100;

interface Question {
  text: string;
  platform: Platform;
  /** If absent, all the team's accounts on the platform count. */
  accountId?: string | undefined;
  limit: number;
}

/**
 * Measured figures count only if caller and plan may read analytics.
 *
 * @throws AppError NOT_FOUND
 */
export async function suggestFor(
  ctx: Ctx,
  { text, platform, accountId, limit }: Question,
): Promise<SuggestedHashtag[]> {
  const filter = { status: "completed", platform, accountId, limit: LOOKED_AT, page: 1 } as const;
  const [rows, [rules], accounts, [plan], measured] = await ctx.read("posts:read", [
    uploadPage(ctx.team, filter),
    wordRulesOf(ctx.team),
    accountById(ctx.team, accountId ?? ""),
    repo.planOf(ctx.team),
    repo.measuredHashtags({ team: ctx.team, platform, accountId: accountId ?? null }),
  ]);
  const mayRead = (id: string) => mayUse(ctx.actor, id);
  const isFound = accounts.length > 0 && mayRead(accountId ?? "");
  if (accountId !== undefined && !isFound) throw notFound("Account");
  // The figures of all accounts are one sum, which holds others than a program may use.
  const isSumOfOwn = accountId !== undefined || ctx.actor.accounts === null;
  const mayMeasure =
    isSumOfOwn &&
    coversScope(ctx.actor.scopes, "analytics:read") &&
    hasAnalytics(ctx, plan ?? null);
  const uses = mayMeasure ? measured.flatMap((hashtags) => hashtags ?? []) : [];
  const { bannedHashtags } = connectorOf(platform).capabilities;
  const own = {
    texts: rows.flatMap(({ record }) =>
      record && mayRead(record.upload.accountId) ? [textOf(record.upload)] : [],
    ),
    measured: topHashtags(uses, uses.length),
  };
  const banned = rules?.bannedHashtags?.[platform] ?? bannedHashtags;
  return suggestHashtags(text, own, { banned, limit });
}
