import { DAY } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { archivePrefix } from "../archive/rules.ts";
import { presignedPrefix } from "../presign/address.ts";
import { abortParts } from "../presign/clean-up.ts";
import { openUploads } from "../presign/repo.ts";
import { LOGIN_CALLS, revokeLogins, takeLogins } from "./logins.ts";
import { type DeletedTeam, deletedTeam, eraseRows, eraseTeam } from "./repo/erase.ts";

/** Rows per table, and objects per prefix, that one run removes. */
const SLICE = 200;
/** Subrequests of one run. Aborting uploads counts as storage operations instead. */
export const ERASING_CALLS = 13 + LOGIN_CALLS;
/** Requests from before a team's deletion may store something this long. */
const SETTLED_MS = DAY;

const prefixesOf = (teamId: number): string[] => [
  `media/${teamId}/`,
  presignedPrefix(teamId),
  `thumbnails/${teamId}/`,
  `branding/${teamId}/`,
  archivePrefix(teamId),
];

/**
 * Removes one slice of a deleted team's data; after the last, the team itself. A team that fails waits for the next
 * round.
 *
 * @param cursor id of the first team
 */
export async function eraseTeams(deps: Deps, cursor: string | null): Promise<string | null> {
  const now = deps.now();
  const [[team]] = await deps.db.run([deletedTeam(Number(cursor ?? 0))]);
  if (!team) return null;
  const next = String(team.id + 1);
  try {
    return (await eraseSlice(deps, team, now)) ? String(team.id) : next;
  } catch (error) {
    deps.log({ event: "team.erase_failed", teamId: team.id, error: String(error) });
    return next;
  }
}

/** False when nothing of the team is left for this round. */
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
