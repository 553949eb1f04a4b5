import { AppError, notFound } from "../../core/errors.ts";
import { randomHex } from "../../core/ids.ts";
import { sha256Hex } from "../../core/signature.ts";
import type { Actor, Ctx } from "../../deps.ts";
import * as repo from "./repo.ts";
import type { NewToken } from "./schema.ts";

const TOKEN_BYTES = 32;

/** The part of a token that may be shown again. */
const hintOf = (token: string): string => `${token.slice(0, 8)}…${token.slice(-4)}`;

/** Tokens are a person's: a pinned token sees and makes only tokens of its own team. */
function holder(actor: Actor) {
  return { userId: actor.userId, teamId: actor.isPinned ? actor.teamId : null };
}

/** Newest first. */
export async function listTokens(ctx: Ctx): Promise<repo.TokenRow[]> {
  const [rows] = await ctx.read("*", [repo.tokensOfUser({ user: ctx.user })]);
  const { teamId } = holder(ctx.actor);
  return teamId === null ? rows : rows.filter((row) => row.teamId === teamId);
}

/**
 * A new token of the caller's. Its text is in the answer and nowhere else.
 *
 * @throws AppError FORBIDDEN for a team that the caller does not belong to
 */
export async function createToken(ctx: Ctx, { name, scopes = ["*"], teamId }: NewToken) {
  await ctx.read("*", []);
  const { userId, teamId: pinnedTeamId } = holder(ctx.actor);
  const pinTo = teamId ?? pinnedTeamId;
  if (pinnedTeamId !== null && pinTo !== pinnedTeamId) {
    throw new AppError(
      "FORBIDDEN",
      "A token pinned to a team can only create tokens of that team.",
    );
  }
  const token = `kmb_${randomHex(TOKEN_BYTES)}`;
  const [[row]] = await ctx.db.run([
    repo.insertToken({
      hash: await sha256Hex(token),
      name,
      hint: hintOf(token),
      userId,
      teamId: pinTo,
      scopes: JSON.stringify([...new Set(scopes)]),
      createdAt: ctx.now(),
      madeBy: ctx.actor.tokenId,
    }),
  ]);
  if (!row) throw new AppError("FORBIDDEN", "You are not an active member of that team.");
  return { row, token };
}

/**
 * Revokes a token with all that was made by it: tokens, open invites, review and connection links.
 *
 * @throws AppError NOT_FOUND
 */
export async function revokeToken(ctx: Ctx, id: number): Promise<void> {
  await ctx.read("*", []);
  const [revoked] = await ctx.db.run(repo.revokeToken({ ...holder(ctx.actor), id }, ctx.now()));
  if (revoked.length === 0) throw notFound("Token");
}
