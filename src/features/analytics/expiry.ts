import { PLATFORMS } from "../../core/platforms.ts";
import type { Deps } from "../../deps.ts";
import { accountAfter, forgetDays } from "./repo/write.ts";
import { firstKeptDay } from "./rules/apart.ts";

const ACCOUNTS = 500;

/**
 * Removes days that a platform's terms no longer allow to be kept, also of accounts that are not read any more.
 *
 * @param after id of the last account of the previous page
 */
export async function forgetOldFigures(deps: Deps, after: string | null): Promise<string | null> {
  const now = deps.now().getTime();
  const kept = PLATFORMS.flatMap((platform) => {
    const from = firstKeptDay(deps, platform, now);
    return from === null ? [] : [{ platform, from }];
  });
  if (kept.length === 0) return null;
  const slice = { after: after ?? "", count: ACCOUNTS };
  const [[next]] = await deps.db.run([accountAfter(slice), forgetDays({ ...slice, kept })]);
  return next ?? null;
}
