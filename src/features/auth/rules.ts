import { AppError } from "../../core/errors.ts";
import type { Scope } from "../../core/scopes.ts";
import type { Actor, Role } from "../../deps.ts";

/** Source: spec, "Authentication" 1. */
const TOKEN_FORMAT = /^kmb_[0-9a-f]{64}$/;

export const isToken = (text: string): boolean => TOKEN_FORMAT.test(text);

/** What a program may do that a person allowed by OAuth, besides its scopes. */
interface Grant {
  /** Ids of the accounts that it may use; null for all of the team. */
  accounts: string[] | null;
  accessUsedAt: Date | null;
}

interface Membership {
  teamId: number;
  role: Role;
  needsApproval: boolean;
}

export interface TokenRecord {
  tokenId: number;
  name: string;
  userId: number;
  scopes: Scope[];
  pinnedTeamId: number | null;
  /** Null before the first use. May lag by an hour. */
  lastUsedAt: Date | null;
  agentUsedAt: Date | null;
  /** Null unless the user is an active member. */
  membership: Membership | null;
  /** Null for a token that a person pasted. */
  grant: Grant | null;
}

export const unauthorized = () =>
  new AppError(
    "UNAUTHORIZED",
    "Missing or invalid API token. Send it in the x-api-key header; it begins with kmb_.",
  );

export const programUnauthorized = () =>
  new AppError(
    "UNAUTHORIZED",
    "This program's access has expired or was ended, or is for another part of the API. Renew it, or ask its person to allow the program again.",
  );

/**
 * @throws AppError UNAUTHORIZED for an unknown or revoked token, or a former member's pinned token; FORBIDDEN for a
 * team in X-Team-ID without membership
 */
export function resolveActor(
  record: TokenRecord | null,
  requestedTeamId: number | null,
  isAgent = false,
): Actor {
  if (!record) throw unauthorized();
  const { pinnedTeamId, membership } = record;
  if (pinnedTeamId !== null && requestedTeamId !== null && pinnedTeamId !== requestedTeamId) {
    throw new AppError(
      "FORBIDDEN",
      "This token is pinned to one team, and X-Team-ID names another. Leave X-Team-ID out.",
    );
  }
  if (!membership) {
    if (record.grant) throw programUnauthorized();
    if (pinnedTeamId !== null) throw unauthorized();
    throw new AppError("FORBIDDEN", "You are not an active member of the team in X-Team-ID.");
  }
  return {
    tokenId: record.tokenId,
    userId: record.userId,
    name: record.name,
    isAgent,
    teamId: membership.teamId,
    isPinned: pinnedTeamId !== null,
    role: membership.role,
    scopes: record.scopes,
    needsApproval: membership.needsApproval,
    isProgram: record.grant !== null,
    accounts: record.grant?.accounts ?? null,
  };
}

const ENDED_BY_MANAGERS = {
  approvedPost: "cancels or deletes posts that others have made or approved",
  account: "disconnects accounts",
  webhook: "pauses and deletes webhooks",
};

/**
 * Spec is silent: members whose posts need approval cannot undo decisions of owners and admins.
 *
 * @throws AppError FORBIDDEN
 */
export function requireMayEnd(
  { needsApproval }: Pick<Actor, "needsApproval">,
  ended: keyof typeof ENDED_BY_MANAGERS,
): void {
  if (!needsApproval) return;
  throw new AppError(
    "FORBIDDEN",
    `The posts of members wait for approval in this team, where only an owner or admin ${ENDED_BY_MANAGERS[ended]}. Ask one of them.`,
  );
}

/** @throws AppError FORBIDDEN */
export function requireOneOf({ role }: Actor, roles: readonly Role[], message: string): void {
  if (!roles.includes(role)) throw new AppError("FORBIDDEN", message);
}

/** Whether the caller may read and use the account: a person can allow a program some accounts alone. */
export const mayUse = ({ accounts }: Pick<Actor, "accounts">, accountId: string): boolean =>
  accounts === null || accounts.includes(accountId);
