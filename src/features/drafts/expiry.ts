import { DAY } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { forgetDrafts } from "./repo.ts";
import { DRAFT_DAYS } from "./rules.ts";

const SLICE = 500;

export async function forgetOldDrafts({ db, now }: Deps): Promise<string | null> {
  const before = new Date(now().getTime() - DRAFT_DAYS * DAY);
  const [removed] = await db.run([forgetDrafts(before, SLICE)]);
  return removed === SLICE ? "more" : null;
}
