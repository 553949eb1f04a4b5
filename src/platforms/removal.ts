import type { Result } from "../core/result.ts";
import type { Fetch } from "./fetch.ts";
import type { PublishAccount } from "./login.ts";
import type { Stopped } from "./stopped.ts";

export interface AccountCall {
  account: PublishAccount;
  accessToken: string;
  /** Calls have a deadline and follow no redirects. */
  fetch: Fetch;
  now(): Date;
}

export interface ReadBack {
  isThere: boolean;
  /** The platform's own word for the audience or state. Null when it does not say. */
  visibility: string | null;
}

/** `missing`: the platform does not know the post, which may be too new. */
export type Removed = "deleted" | "missing";

/** Ids are those that `submit`, `settle` and `reconcile` answer. */
export interface RemovalCalls {
  remove(call: AccountCall, id: string): Promise<Result<Removed, Stopped>>;
  readBack(call: AccountCall, id: string): Promise<Result<ReadBack, Stopped>>;
}

export interface PostRemoval {
  /** A sentence: where a person deletes a post. */
  byHand: string;
  /** Absent where every login may delete. */
  scope?: string;
  /** Absent where the API deletes nothing. */
  calls?: RemovalCalls;
}

export type Ability = "possible" | "impossible" | "unknown";

/** Whether this login can delete posts. */
export function abilityOf(
  { calls, scope }: PostRemoval,
  { grantedScopes }: Pick<PublishAccount, "grantedScopes">,
): Ability {
  if (!calls) return "impossible";
  if (scope === undefined) return "possible";
  if (grantedScopes === undefined) return "unknown";
  return grantedScopes.includes(scope) ? "possible" : "impossible";
}
