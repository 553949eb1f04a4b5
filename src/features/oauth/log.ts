import type { Deps } from "../../deps.ts";

interface Step {
  step:
    | "authorize"
    | "consent"
    | "device"
    | "code"
    | "refresh"
    | "register"
    | "revoke"
    | "challenge";
  outcome: "done" | "refused" | "shown";
  reason?: string;
  /** Ids and addresses of programs are public. */
  client?: string | null;
  grantId?: number | null;
}

const MAX_CLIENT = 200;

/** One line for each step of a sign-in, without codes, tokens and states. */
export function logStep(
  { log }: Pick<Deps, "log">,
  { step, outcome, reason = "", client = null, grantId = null }: Step,
): void {
  log({ event: "oauth", step, outcome, reason, client: client?.slice(0, MAX_CLIENT), grantId });
}
