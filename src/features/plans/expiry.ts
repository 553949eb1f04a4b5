import type { Deps } from "../../deps.ts";
import { endPlans } from "./repo.ts";

export async function expirePlans(deps: Deps): Promise<null> {
  const [ended = 0] = await deps.db.runAll(endPlans(deps));
  if (ended > 0) deps.log({ event: "plans.expired", teams: ended });
  return null;
}
