import { AppError, invalidFields, notFound } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import { requireOneOf } from "../auth/rules.ts";
import { settingsOfTeam } from "../settings/repo.ts";
import { endLogins } from "./logins.ts";
import { markDeleted } from "./repo/erase.ts";

const PINNED =
  "A token that is pinned to a team cannot close its owner's account. Use a token that is not pinned, or sign in.";

/**
 * The team stops working at once; rows, files and logins are removed in slices. Spec is silent on planned posts: they
 * are deleted.
 *
 * @throws AppError NOT_FOUND for another team; FORBIDDEN for pinned tokens, and unless the caller is the owner; 400 for
 * a wrong `confirm`; UPLOAD_LOCKED while a post is being published
 */
export async function deleteTeam(ctx: Ctx, teamId: number, confirm: string): Promise<void> {
  const [[team]] = await ctx.read("*", [settingsOfTeam({ team: ctx.team })]);
  if (!team || ctx.actor.teamId !== teamId) throw notFound("Team");
  requireOneOf(ctx.actor, ["OWNER"], "Only the owner deletes the team.");
  if (ctx.actor.isPinned) throw new AppError("FORBIDDEN", PINNED);
  if (confirm !== team.slug) {
    const message = `confirm: must be ${team.slug}, the name of the team in addresses.`;
    throw invalidFields([{ field: "confirm", message }]);
  }
  const leaving = { teamId, ownerId: ctx.actor.userId };
  const [isDeleted] = await ctx.db.runAll(markDeleted(leaving, ctx.now()));
  if (isDeleted === 1) {
    // The hourly chore revokes the other logins.
    ctx.defer(endLogins(ctx, teamId));
    return;
  }
  const message =
    "A post of the team is being published. Wait until it is out, then delete the team.";
  throw new AppError("UPLOAD_LOCKED", message);
}
