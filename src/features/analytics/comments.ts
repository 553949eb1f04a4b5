import { AppError, invalidFields, notFound } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import type { Extras } from "../../platforms/extras.ts";
import { connectorOf, connectors } from "../../platforms/registry.ts";
import { accountById } from "../accounts/repo.ts";
import { accountRefusal, platformIdOf } from "../accounts/rules.ts";
import { ask } from "../logins/service.ts";
import { readerOf } from "./collect.ts";
import { findMeasured, planOf } from "./repo/read.ts";
import { requireAnalytics, requireOwn } from "./rules/access.ts";
import type { Comments } from "./schema.ts";

const refusalOf = (extras: Extras | undefined): string =>
  extras?.comments?.refusal ??
  connectors()
    .flatMap((one) => one.extras?.comments?.refusal ?? [])
    .join(", and ");

/**
 * @throws AppError FORBIDDEN by the plan or for another team's account; NOT_FOUND; 400 without comments;
 * ACCOUNT_INACTIVE; RATE_LIMIT; UNAVAILABLE
 */
export async function listComments(ctx: Ctx, id: string, postId: string): Promise<Comments> {
  const [[plan], [account], [measured]] = await ctx.read("analytics:read", [
    planOf(ctx.team),
    accountById(ctx.team, id),
    findMeasured({ team: ctx.team, id }),
  ]);
  requireAnalytics(ctx, plan);
  requireOwn(measured);
  if (!account) throw notFound("Account");
  const { extras } = connectorOf(account.platform);
  if (!extras?.comments || !readerOf(account)) {
    const message = `${account.accountName} ${refusalOf(extras)}.`;
    throw invalidFields([{ field: "connectedAccountId", message }]);
  }
  const refusal = accountRefusal(account, ctx.config);
  if (refusal) throw new AppError("ACCOUNT_INACTIVE", refusal);
  const comments = await ask(ctx, account, (source, { fetch, accessToken }) =>
    source.comments?.read(fetch, accessToken, postId),
  );
  return {
    comments: comments.map(({ author, text, createdAt }) => ({
      author: author === platformIdOf(account).id ? account.accountName : author,
      text,
      createdAt: createdAt.toISOString(),
    })),
  };
}
