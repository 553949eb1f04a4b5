import type { Deps } from "../../deps.ts";
import { describeLateBackups } from "../notices/rules.ts";
import * as repo from "./repo/backups.ts";
import { isOverdue } from "./rules.ts";
import type { BackupRow } from "./table.ts";

export interface BackupState {
  isOn: boolean;
  /** The newest finished one. */
  last: BackupRow | null;
  /** How many finished ones are kept. */
  count: number;
  /** Why the one that is being made cannot go on. */
  error: string | null;
  isOverdue: boolean;
}

export const allBackups = () => repo.allBackups({});

export function judgeBackups(
  all: readonly BackupRow[],
  { config, now }: Pick<Deps, "config" | "now">,
): BackupState {
  const finished = all.filter(({ finishedAt }) => finishedAt !== null);
  const [last = null] = finished;
  const startedAt = all.at(-1)?.startedAt ?? null;
  const { isOn } = config.backup;
  return {
    isOn,
    last,
    count: finished.length,
    error: all[0]?.error ?? null,
    isOverdue: isOn && isOverdue({ finishedAt: last?.finishedAt ?? null, startedAt }, now()),
  };
}

export const latestBackup = () => repo.latestBackup({});

/** A sentence when backups are late. */
export const warningsAbout = (latest: repo.LatestBackup | undefined, now: Date): string[] =>
  latest && isOverdue(latest, now) ? [describeLateBackups(latest.finishedAt)] : [];
