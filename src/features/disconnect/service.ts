import { notFound } from "../../core/errors.ts";
import { runNamed } from "../../db/named.ts";
import type { Ctx, Deps } from "../../deps.ts";
import { connectorOf } from "../../platforms/registry.ts";
import {
  appKeysOf,
  openCredentials,
  platformFetch,
  toPublishAccount,
  withTimeout,
} from "../accounts/platform-access.ts";
import { accountById, accountSharingLogin, updateAccount } from "../accounts/repo/accounts.ts";
import { isRevokedAtPlatform } from "../accounts/rules.ts";
import type { AccountRow } from "../accounts/table.ts";
import { requireMayEnd } from "../auth/rules.ts";
import { emitIfChanged } from "../events/repo.ts";
import { endPlansOf } from "./endings.ts";

/**
 * Disconnects an account: its login is forgotten, and ended at the platform where no other account loses its
 * own by that; its plans end with it, its history stays.
 *
 * @throws AppError NOT_FOUND; FORBIDDEN for a member whose posts wait for approval
 */
export async function disconnectAccount(ctx: Ctx, id: string): Promise<AccountRow> {
  const [[account]] = await ctx.read("accounts:write", [accountById(ctx.team, id)]);
  if (!account) throw notFound("Account");
  requireMayEnd(ctx.actor, "account");
  const gone = { status: "revoked", credentials: null, deletedAt: ctx.now() } as const;
  const { others } = await runNamed(ctx.db, {
    removed: updateAccount(ctx.team, id, gone),
    told: emitIfChanged(ctx, {
      team: account.teamId,
      name: "connected_account.disconnected",
      data: { accountId: id, platform: account.platform, accountName: account.accountName },
    }),
    ended: endPlansOf(ctx, account),
    // After the writes: of two that share a login and are disconnected at once, the last finds nobody else.
    others: accountSharingLogin(account.teamId, id),
  });
  if (isRevokedAtPlatform(connectorOf(account.platform), others.length > 0)) {
    ctx.defer(revokeLogin(ctx, account));
  }
  return account;
}

/** Ends a login at its platform, best effort: it is already forgotten here, whatever the platform answers. */
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
    deps.log({
      event: "account.revoke_failed",
      accountId: account.id,
      platform: account.platform,
      error: error instanceof Error ? error.name : "unknown",
    });
  }
}
