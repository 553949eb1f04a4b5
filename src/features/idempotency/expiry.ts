import type { Deps } from "../../deps.ts";
import { removeOldAnswers } from "./repo.ts";

/** Rows removed by one statement, at most. */
const SLICE = 500;

/** Removes up to 500 answers older than a day; null once none is left. */
export async function forgetOldAnswers(deps: Deps): Promise<string | null> {
  const [removed] = await deps.db.run([removeOldAnswers(deps.now(), SLICE)]);
  return removed === SLICE ? "more" : null;
}
