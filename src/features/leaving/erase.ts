import { HOUR } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { deletedTeam, eraseRows, eraseTeam } from "./repo/erase.ts";

/** Rows of each table, and objects of each kind, that one page removes at most. */
const SLICE = 200;
/** A request that began before the team was deleted may store something until then. */
const SETTLED_MS = HOUR;

/** Where the objects of a team stand. */
const prefixesOf = (teamId: number): string[] => [
  `media/${teamId}/`,
  `thumbnails/${teamId}/`,
  `branding/${teamId}/`,
];

/**
 * Removes a slice of all that a deleted team had, and the team itself once nothing of it is left.
 *
 * @param cursor id of the team to begin with
 */
export async function eraseTeams(deps: Deps, cursor: string | null): Promise<string | null> {
  const now = deps.now();
  const [[team]] = await deps.db.run([deletedTeam(Number(cursor ?? 0))]);
  if (!team) return null;
  const { id, ownerId, deletedAt } = team;
  const objects = await Promise.all(prefixesOf(id).map((prefix) => eraseObjects(deps, prefix)));
  const rows = await deps.db.runAll(eraseRows(id, SLICE, now));
  if ([...objects, ...rows].some((removed) => removed > 0)) return String(id);
  if (deletedAt && now.getTime() - deletedAt.getTime() >= SETTLED_MS) {
    await deps.db.runAll(eraseTeam({ teamId: id, ownerId }));
    deps.log({ event: "team.erased", teamId: id });
  }
  return String(id + 1);
}

async function eraseObjects({ media }: Pick<Deps, "media">, prefix: string): Promise<number> {
  const { objects } = await media.list({ prefix, limit: SLICE });
  if (objects.length > 0) await media.delete(objects.map(({ key }) => key));
  return objects.length;
}
