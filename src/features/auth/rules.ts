import { AppError } from "../../core/errors.ts";
import type { Scope } from "../../core/scopes.ts";
import type { Actor, Role } from "../../deps.ts";

/** Source: spec, "Authentication" 1. */
const TOKEN_FORMAT = /^kmb_[0-9a-f]{64}$/;

export const isToken = (text: string): boolean => TOKEN_FORMAT.test(text);

/** The part of a token that may be shown again. */
export const tokenHint = (token: string): string => `${token.slice(0, 8)}…${token.slice(-4)}`;

interface Membership {
  teamId: number;
  role: Role;
  needsApproval: boolean;
}

/** A stored token, and its user's membership of the team it asks for. */
export interface TokenRecord {
  tokenId: number;
  userId: number;
  scopes: Scope[];
  pinnedTeamId: number | null;
  /** Null before its first use; else out of date by an hour at most. */
  lastUsedAt: Date | null;
  /** Null when the user is no active member of that team. */
  membership: Membership | null;
}

export const unauthorized = () =>
  new AppError(
    "UNAUTHORIZED",
    "Missing or invalid API token. Send it in the x-api-key header; it begins with kmb_.",
  );

/**
 * Returns the holder of this token, with the team acted for.
 *
 * @throws AppError UNAUTHORIZED (unknown or revoked token, or its pinned team was left), FORBIDDEN (not a
 * member of the team in X-Team-ID)
 */
export function resolveActor(record: TokenRecord | null, requestedTeamId: number | null): Actor {
  if (!record) throw unauthorized();
  const { pinnedTeamId, membership } = record;
  if (pinnedTeamId !== null && requestedTeamId !== null && pinnedTeamId !== requestedTeamId) {
    throw new AppError(
      "FORBIDDEN",
      "This token is pinned to one team, and X-Team-ID names another. Leave X-Team-ID out.",
    );
  }
  if (!membership) {
    if (pinnedTeamId !== null) throw unauthorized();
    throw new AppError("FORBIDDEN", "You are not an active member of the team in X-Team-ID.");
  }
  return {
    tokenId: record.tokenId,
    userId: record.userId,
    teamId: membership.teamId,
    isPinned: pinnedTeamId !== null,
    role: membership.role,
    scopes: record.scopes,
    needsApproval: membership.needsApproval,
  };
}
