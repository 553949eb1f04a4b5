import { AppError, fieldError, invalidFields, notFound } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import type { MentionedAccount } from "../../platforms/mentions.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { accountById } from "../accounts/repo.ts";
import { accountRefusal } from "../accounts/rules.ts";
import { mayUse } from "../auth/rules.ts";
import { ask } from "./service.ts";

/** @throws AppError NOT_FOUND, 400 without a look-up, ACCOUNT_INACTIVE, RATE_LIMIT, UNAVAILABLE */
export async function findMentions(
  ctx: Ctx,
  id: string,
  query: string,
): Promise<MentionedAccount[]> {
  const [[account]] = await ctx.read("accounts:read", [accountById(ctx.team, id)]);
  if (!account || !mayUse(ctx.actor, id)) throw notFound("Account");
  const { name, mentions, extras } = connectorOf(account.platform);
  const finder = extras?.mentions;
  if (!finder) {
    const message = `${name} offers this app no look-up of accounts. ${mentions.note}`;
    throw invalidFields([{ field: "id", message }]);
  }
  const words = query.trim().replace(/^@/, "");
  if (!finder.query.test(words)) {
    throw invalidFields([fieldError("query", `must be ${finder.expected}`)]);
  }
  const refusal = accountRefusal(account, ctx.config);
  if (refusal) throw new AppError("ACCOUNT_INACTIVE", refusal);
  return ask(ctx, account, (source, call) => source.mentions?.find(call, words));
}
