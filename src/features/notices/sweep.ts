import { MINUTE } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { wakeNotices } from "../../queue/wake.ts";
import { isAnyDue } from "./repo/notices.ts";

/** A notice this overdue has lost its queue message, or is a retry. */
const OVERDUE_MS = MINUTE / 2;

export const firstOverdueNotice = ({ now }: Pick<Deps, "now">) =>
  isAnyDue({ by: new Date(now().getTime() - OVERDUE_MS) });

export const wakeOverdueNotices = async (
  deps: Deps,
  overdue: readonly unknown[],
): Promise<void> => {
  if (overdue.length > 0) await wakeNotices(deps, 0);
};
