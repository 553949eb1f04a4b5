import { errorName, notFound } from "../../core/errors.ts";
import type { Query } from "../../db/client.ts";
import { runNamed } from "../../db/named.ts";
import type { Ctx, Deps } from "../../deps.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { accountById, accountSharingLogin, updateAccount } from "../accounts/repo.ts";
import { isRevokedAtPlatform } from "../accounts/rules.ts";
import type { AccountRow } from "../accounts/table.ts";
import { activityLine } from "../activity/repo.ts";
import { requireMayEnd } from "../auth/rules.ts";
import { failWaiting } from "../ending/repo.ts";
import { emitIfChanged } from "../events/repo.ts";
import {
  appKeysOf,
  openCredentials,
  platformFetch,
  toPublishAccount,
  withTimeout,
} from "../logins/platform-access.ts";
import { dropFromSlots } from "../pools/repo/endings.ts";

/**
 * Revokes the login at the platform, unless that would end another account's login.
 *
 * @throws AppError NOT_FOUND; FORBIDDEN for a member whose posts need approval
 */
export async function disconnectAccount(ctx: Ctx, id: string): Promise<AccountRow> {
  const [[account]] = await ctx.read("accounts:write", [accountById(ctx.team, id)]);
  if (!account) throw notFound("Account");
  requireMayEnd(ctx.actor, "account");
  const gone = { status: "revoked", credentials: null, deletedAt: ctx.now() } as const;
  const { others } = await runNamed(ctx.db, {
    removed: updateAccount(ctx.team, id, gone),
    event: emitIfChanged(ctx, {
      team: account.teamId,
      name: "connected_account.disconnected",
      data: { accountId: id, platform: account.platform, accountName: account.accountName },
    }),
    line: activityLine(ctx, "account.removed", id),
    ended: endPlansOf(ctx, account),
    // Read after the writes: the last of several accounts with this login revokes it.
    others: accountSharingLogin(account.teamId, id),
  });
  if (isRevokedAtPlatform(connectorOf(account.platform), others.length > 0)) {
    ctx.defer(revokeLogin(ctx, account));
  }
  return account;
}

/** A failure is only logged: the login is already deleted here. */
export async function revokeLogin(deps: Deps, account: AccountRow): Promise<void> {
  const connector = connectorOf(account.platform);
  try {
    const credentials = await openCredentials(deps, account);
    await connector.revoke?.(
      withTimeout(platformFetch(deps, account)),
      credentials,
      toPublishAccount(account),
      appKeysOf(deps, account),
    );
  } catch (error) {
    const { id: accountId, platform } = account;
    deps.log({ event: "account.revoke_failed", accountId, platform, error: errorName(error) });
  }
}

export const endPlansOf = (deps: Pick<Deps, "now">, account: AccountRow): Query<unknown>[] => [
  ...failWaiting(deps, account),
  ...dropFromSlots(account),
];
