import type { Deps } from "../../deps.ts";
import { endWithoutAccount, forgetEnded } from "./repo.ts";
import { ENDED_KEPT_MS } from "./rules.ts";

const SLICE = 500;

export async function forgetEndedRehearsals({ db, now }: Deps): Promise<string | null> {
  const before = new Date(now().getTime() - ENDED_KEPT_MS);
  const [, removed] = await db.run([endWithoutAccount(now()), forgetEnded(before, SLICE)]);
  return removed === SLICE ? "more" : null;
}
