import type { Deps } from "../../deps.ts";
import { removeOldAnswers } from "./repo.ts";

const SLICE = 500;

export async function forgetOldAnswers(deps: Deps): Promise<string | null> {
  const [removed] = await deps.db.run([removeOldAnswers(deps.now(), SLICE)]);
  return removed === SLICE ? "more" : null;
}
