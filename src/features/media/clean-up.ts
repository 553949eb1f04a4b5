import { DAY } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { teamOfObject } from "./intake.ts";
import { objectsInUse } from "./repo.ts";

/** A younger object may belong to a running request. */
const UNUSED_MS = DAY;
const PAGE = 500;

/**
 * Removes objects that interrupted requests left behind.
 *
 * @param cursor where the storage's list goes on
 */
export async function removeUnusedObjects(
  deps: Deps,
  cursor: string | null,
): Promise<string | null> {
  const page = await deps.media.list({
    prefix: "media/",
    limit: PAGE,
    ...(cursor ? { cursor } : {}),
  });
  const before = deps.now().getTime() - UNUSED_MS;
  const old = page.objects.filter(({ uploaded }) => uploaded.getTime() < before);
  const next = page.truncated ? page.cursor : null;
  if (old.length === 0) return next;
  const byTeam = Map.groupBy(
    old.map(({ key }) => key),
    teamOfObject,
  );
  const teams = [...byTeam];
  const used = await deps.db.runAll(teams.map(([team, keys]) => objectsInUse(team, keys)));
  const unused = teams.flatMap(([, keys], i) => keys.filter((key) => !used[i]?.includes(key)));
  if (unused.length > 0) await deps.media.delete(unused);
  return next;
}
