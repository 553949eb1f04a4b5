import { AppError, notFound } from "../../core/errors.ts";
import type { NamedCall } from "../../core/idempotency-key.ts";
import { randomHex } from "../../core/ids.ts";
import { sha256Hex } from "../../core/signature.ts";
import type { Actor, Ctx } from "../../deps.ts";
import { activityLineBy, doerOf, INSERTED } from "../activity/repo.ts";
import { type FirstTime, look, once } from "../idempotency/once.ts";
import * as repo from "./repo.ts";
import type { NewToken } from "./schema.ts";

const TOKEN_BYTES = 32;

const hintOf = (token: string): string => `${token.slice(0, 8)}…${token.slice(-4)}`;

/** A pinned token lists and creates only tokens of its team. */
function holder(actor: Actor) {
  return { userId: actor.userId, teamId: actor.isPinned ? actor.teamId : null };
}

export async function listTokens(ctx: Ctx): Promise<repo.TokenRow[]> {
  const [rows] = await ctx.read("*", [repo.tokensOfUser({ user: ctx.user })]);
  const { teamId } = holder(ctx.actor);
  return teamId === null ? rows : rows.filter((row) => row.teamId === teamId);
}

/**
 * Only this answer contains the token's text.
 *
 * @throws AppError FORBIDDEN for a team without membership; 422 for a repeated call, because the text is not kept; and
 * the errors of `once`
 */
export async function createToken(ctx: Ctx, input: NewToken, call: NamedCall | null) {
  const { result } = await once<null, NewlyMade>(ctx, call, () => input, {
    look: async (losses) => {
      const { stored } = await look(ctx, "*", call, []);
      if (losses > 0 && !stored) throw notMember();
      return { findings: null, stored };
    },
    make: (_, first) => storeToken(ctx, input, first),
    replay: () => {
      throw new AppError(
        null,
        "This form was sent before, and its token is made already. If you have not copied the token, revoke it and create another.",
        { status: 422 },
      );
    },
  });
  return result;
}

interface NewlyMade {
  row: repo.TokenRow;
  token: string;
}

const notMember = (): AppError =>
  new AppError(
    "FORBIDDEN",
    "You are not an active member of that team, or your token was revoked.",
  );

/** Returns null for a repeated call, and when the person is no member of the team. */
async function storeToken(
  ctx: Ctx,
  { name, scopes = ["*"], teamId }: NewToken,
  { isNew, keep }: FirstTime,
): Promise<NewlyMade | null> {
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
    repo.insertToken(
      {
        hash: await sha256Hex(token),
        name,
        hint: hintOf(token),
        userId,
        teamId: pinTo,
        scopes: JSON.stringify([...new Set(scopes)]),
        createdAt: ctx.now(),
        madeBy: ctx.actor.tokenId,
      },
      isNew,
    ),
    activityLineBy(ctx, pinTo ?? ctx.actor.teamId, doerOf(ctx.actor), "token.created", INSERTED),
    ...keep(null),
  ]);
  return row ? { row, token } : null;
}

/**
 * Also revokes tokens made by the token, and ends their open invites and links.
 *
 * @throws AppError NOT_FOUND
 */
export async function revokeToken(ctx: Ctx, id: number): Promise<void> {
  await ctx.read("*", []);
  const [revoked] = await ctx.db.run(
    repo.revokeToken({ ...holder(ctx.actor), id }, ctx.now(), revocationLine(ctx, id)),
  );
  if (revoked.length === 0) throw notFound("Token");
}

const revocationLine = (ctx: Ctx, id: number) =>
  activityLineBy(
    ctx,
    repo.teamOfToken(id, ctx.actor.teamId),
    doerOf(ctx.actor),
    "token.revoked",
    id,
  );
