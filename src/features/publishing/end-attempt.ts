import type { Failure } from "../../core/failures.ts";
import type { Deps } from "../../deps.ts";
import type { Attempt, Ending } from "./lost-access.ts";
import { timeoutOrFailure } from "./verdicts.ts";
import { fail } from "./writes.ts";

/** @param isDecided the platform itself reported that no post exists */
export async function endAttempt(
  deps: Deps,
  attempt: Attempt,
  failure: Failure,
  isDecided = false,
): Promise<"over"> {
  const { upload } = attempt;
  const isAboutAccess = failure.code === "account_disconnected";
  const end = isAboutAccess ? await judged(deps, attempt, failure) : { failure };
  const outcome = isDecided ? end.failure : timeoutOrFailure(upload, end.failure);
  await fail(deps, upload, outcome, end.alongside);
  return "over";
}

async function judged(deps: Deps, attempt: Attempt, failure: Failure): Promise<Ending> {
  const { judgeAccess } = await import("./lost-access.ts");
  return judgeAccess(deps, attempt, failure);
}
