import type { Deps } from "../../deps.ts";
import { noticeIfChanged } from "../notices/repo/notices.ts";
import { BACKUPS_SUBJECT } from "../notices/rules.ts";
import * as repo from "./repo/backups.ts";
import { isOverdue } from "./rules.ts";

export const WATCH_BACKUPS_CALLS = 2;

/** Tells the owner once when the last finished backup is too old. */
export async function watchBackups(deps: Deps): Promise<null> {
  if (!deps.config.backup.isOn) return null;
  const now = deps.now();
  const [[latest], [teamId]] = await deps.db.run([repo.latestBackup({}), repo.ownersTeam({})]);
  if (!latest || teamId === undefined || !isOverdue(latest, now)) return null;
  await deps.db.run([
    repo.noteTold({ now }),
    noticeIfChanged({ subject: BACKUPS_SUBJECT, teamId, now }),
  ]);
  return null;
}
