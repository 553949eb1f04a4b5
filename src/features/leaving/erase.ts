import { DAY } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { presignedPrefix } from "../presign/address.ts";
import { abortParts } from "../presign/clean-up.ts";
import { openUploads } from "../presign/repo.ts";
import { LOGIN_CALLS, revokeLogins, takeLogins } from "./logins.ts";
import { type DeletedTeam, deletedTeam, eraseRows, eraseTeam } from "./repo/erase.ts";

/** Rows of each table, and objects of each kind, that one page removes at most. */
const SLICE = 200;
/** Calls of one page, at most; the uploads that it aborts are storage's. */
export const ERASING_CALLS = 11 + LOGIN_CALLS;
/** A request or an upload that began before the team was deleted may store something until then. */
const SETTLED_MS = DAY;

/** Where the objects of a team stand. */
const prefixesOf = (teamId: number): string[] => [
  `media/${teamId}/`,
  presignedPrefix(teamId),
  `thumbnails/${teamId}/`,
  `branding/${teamId}/`,
];

/**
 * Removes a slice of all that a deleted team had, and the team itself once nothing of it is left. A team of
 * which that fails is passed over until the next round.
 *
 * @param cursor id of the team to begin with
 */
export async function eraseTeams(deps: Deps, cursor: string | null): Promise<string | null> {
  const now = deps.now();
  const [[team]] = await deps.db.run([deletedTeam(Number(cursor ?? 0))]);
  if (!team) return null;
  const next = String(team.id + 1);
  try {
    return (await eraseSlice(deps, team, now)) ? String(team.id) : next;
  } catch (error) {
    // The teams behind it do not wait for this one, whose turn comes again in the next round.
    deps.log({ event: "team.erase_failed", teamId: team.id, error: String(error) });
    return next;
  }
}

/** Removes a slice of a team; false once there is nothing more to do for it in this round. */
async function eraseSlice(
  deps: Deps,
  { id, ownerId, deletedAt }: DeletedTeam,
  now: Date,
): Promise<boolean> {
  const objects = await Promise.all(prefixesOf(id).map((prefix) => eraseObjects(deps, prefix)));
  const [open, logins, ...rows] = await deps.db.run([
    openUploads(id, SLICE),
    ...takeLogins(id),
    ...eraseRows(id, SLICE, now),
  ]);
  await abortParts(deps, open);
  await revokeLogins(deps, logins);
  if ([...objects, ...rows].some((removed) => removed > 0)) return true;
  if (deletedAt && now.getTime() - deletedAt.getTime() >= SETTLED_MS) {
    await deps.db.runAll(eraseTeam({ teamId: id, ownerId }));
    deps.log({ event: "team.erased", teamId: id });
  }
  return false;
}

async function eraseObjects({ media }: Pick<Deps, "media">, prefix: string): Promise<number> {
  const { objects } = await media.list({ prefix, limit: SLICE });
  if (objects.length > 0) await media.delete(objects.map(({ key }) => key));
  return objects.length;
}
