import type { Deps } from "../../deps.ts";
import { noticeIfChanged } from "../notices/repo/notices.ts";
import { databaseSubject } from "../notices/rules.ts";
import { forgetSizesBefore, lastMeasured, storeSize, teamOfOperator } from "./repo.ts";
import { dayOf, GROWTH_DAYS, levelOf, limitBytesOf } from "./rules.ts";

/** Subrequests of one run. */
export const MEASURING_CALLS = 2;

/** Notes the day's size of the database, and tells the owner of the instance once when it passes a level. */
export async function measureDatabase(deps: Deps): Promise<null> {
  const now = deps.now();
  const [{ value: rows, sizeBytes }, [teamId]] = await deps.db.run([
    lastMeasured(),
    teamOfOperator({}),
  ]);
  const before = rows[0]?.level ?? 0;
  const level = levelOf({ sizeBytes, limitBytes: limitBytesOf(deps.config) }, before);
  const day = dayOf(now);
  const isTold = level > before && teamId !== undefined;
  await deps.db.runAll([
    storeSize({ day, sizeBytes, level }),
    ...(isTold ? [noticeIfChanged({ subject: databaseSubject(level), teamId, now })] : []),
    forgetSizesBefore({ day: day - GROWTH_DAYS }),
  ]);
  return null;
}
