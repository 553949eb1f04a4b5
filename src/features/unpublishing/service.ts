import { AppError, notFound } from "../../core/errors.ts";
import { addSeconds } from "../../core/time.ts";
import type { Ctx } from "../../deps.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { abilityOf } from "../../platforms/removal.ts";
import { connectedAgain } from "../accounts/repo.ts";
import { accountRefusal } from "../accounts/rules.ts";
import type { AccountRow } from "../accounts/table.ts";
import { refuseMissing } from "../archive/read.ts";
import { mayUse } from "../auth/rules.ts";
import { toPublishAccount } from "../logins/platform-access.ts";
import { ownUpload } from "../posts/repo/read.ts";
import { BEING_CHANGED, LEASE_SECONDS } from "../posts/rules.ts";
import type { UploadRow } from "../posts/table.ts";
import { claimRemoval } from "./repo.ts";
import {
  locked,
  messageOf,
  notUnpublishable,
  publishedIds,
  requireMayUnpublish,
  whyImpossible,
} from "./rules.ts";
import { takeDown, type Work } from "./take-down.ts";

export interface Unpublished {
  upload: UploadRow;
  unpublishedAt: Date;
  message: string;
}

/**
 * Deletes a published post at its platform. A post that is down already is answered as before.
 *
 * @throws AppError NOT_FOUND, ARCHIVED, FORBIDDEN, UPLOAD_LOCKED, NOT_PUBLISHED, NOT_UNPUBLISHABLE, ACCOUNT_INACTIVE, RATE_LIMIT,
 *   UNAVAILABLE
 */
export async function unpublishUpload(ctx: Ctx, id: number): Promise<Unpublished> {
  const [[upload]] = await ctx.read("posts:publish", [ownUpload(ctx.team, id)]);
  if (!upload) throw await refuseMissing(ctx, id, notFound("Upload"));
  if (!mayUse(ctx.actor, upload.accountId)) throw notFound("Upload");
  requireMayUnpublish(ctx.actor);
  const before = unpublishedOf(upload);
  if (before) return before;
  publishedIds(upload);
  const [[account]] = await ctx.db.run([connectedAgain(upload.teamId, upload.accountId)]);
  const work = requireAble(ctx, upload, account);

  const until = addSeconds(ctx.now(), LEASE_SECONDS);
  const [claimed, current] = await ctx.db.run([
    claimRemoval(upload, ctx.now(), until),
    ownUpload(ctx.team, id),
  ]);
  if (claimed !== 1) return requireDown(current);
  const claim = current[0] ?? upload;
  await takeDown({ ...work, upload: claim }, publishedIds(claim), { id, until });
  const [after] = await ctx.db.run([ownUpload(ctx.team, id)]);
  return requireDown(after);
}

function unpublishedOf(upload: UploadRow): Unpublished | null {
  const { platform, removals, unpublishedAt } = upload;
  if (!unpublishedAt) return null;
  return { upload, unpublishedAt, message: messageOf(connectorOf(platform).name, removals ?? []) };
}

function requireDown([upload]: readonly UploadRow[]): Unpublished {
  const down = upload && unpublishedOf(upload);
  if (!down) throw locked(BEING_CHANGED);
  return down;
}

function requireAble(ctx: Ctx, upload: UploadRow, account: AccountRow | undefined): Work {
  const connector = connectorOf(upload.platform);
  const { calls } = connector.removal;
  if (!calls) throw notUnpublishable(upload, connector, whyImpossible(connector));
  if (!account) {
    const message =
      "The account of the post is disconnected. Connect it again, then take the post down.";
    throw new AppError("ACCOUNT_INACTIVE", message);
  }
  const refusal = accountRefusal(account, ctx.config);
  if (refusal) throw new AppError("ACCOUNT_INACTIVE", refusal);
  if (abilityOf(connector.removal, toPublishAccount(account)) === "impossible") {
    throw notUnpublishable(upload, connector, whyImpossible(connector));
  }
  return { ctx, upload, account, connector, calls };
}
