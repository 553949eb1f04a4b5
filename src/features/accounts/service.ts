import { notFound } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import { activityLine } from "../activity/repo.ts";
import { mayUse } from "../auth/rules.ts";
import * as repo from "./repo.ts";
import type { AccountFilter } from "./schema.ts";
import type { AccountRow } from "./table.ts";

export async function listAccounts(ctx: Ctx, filter: AccountFilter = {}): Promise<AccountRow[]> {
  const [rows] = await ctx.read("accounts:read", [repo.accountsOfTeam(ctx.team, filter)]);
  return rows.filter(({ id }) => mayUse(ctx.actor, id));
}

/** @throws AppError NOT_FOUND */
export async function getAccount(ctx: Ctx, id: string) {
  const [[account], [lastUsedAt]] = await ctx.read("accounts:read", [
    repo.accountById(ctx.team, id),
    repo.lastUseOf(ctx.team, id),
  ]);
  if (!account || !mayUse(ctx.actor, id)) throw notFound("Account");
  return { account, lastUsedAt: lastUsedAt ?? null };
}

/** @throws AppError NOT_FOUND */
export async function setAccountTags(ctx: Ctx, id: string, tags: string): Promise<AccountRow> {
  await ctx.read("accounts:write", []);
  const [[account]] = await ctx.db.run([
    repo.updateAccount(ctx.team, id, { tags }),
    activityLine(ctx, "account.changed", id),
  ]);
  if (!account) throw notFound("Account");
  return account;
}
