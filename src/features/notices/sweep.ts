import { MINUTE } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { wakeNotices } from "../../queue/wake.ts";
import { isAnyDue } from "./repo/notices.ts";

/** A notice that is overdue by this has lost its message, or comes again after a failed attempt. */
const OVERDUE_MS = MINUTE / 2;

/** Finds the first that is overdue, to be run along with something else. */
export const firstOverdueNotice = ({ now }: Pick<Deps, "now">) =>
  isAnyDue({ by: new Date(now().getTime() - OVERDUE_MS) });

/** Wakes what is overdue, where anything is. */
export const wakeOverdueNotices = async (deps: Deps, found: readonly unknown[]): Promise<void> => {
  if (found.length > 0) await wakeNotices(deps, 0);
};
