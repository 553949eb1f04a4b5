import type { Result } from "../core/result.ts";
import type { Fetch } from "./fetch.ts";
import type { PublishAccount } from "./login.ts";
import type { Stopped } from "./stopped.ts";

export interface AccountCall {
  account: PublishAccount;
  accessToken: string;
  fetch: Fetch;
  now(): Date;
}

export interface ReadBack {
  isThere: boolean;
  visibility: string | null;
}

/** `missing`: the platform does not know the post, which may be too new. */
export type Removed = "deleted" | "missing";

export interface RemovalCalls {
  remove(call: AccountCall, id: string): Promise<Result<Removed, Stopped>>;
  readBack(call: AccountCall, id: string): Promise<Result<ReadBack, Stopped>>;
}

export interface PostRemoval {
  byHand: string;
  scope?: string;
  calls?: RemovalCalls;
}

export type Ability = "possible" | "impossible" | "unknown";

export function abilityOf(
  { calls, scope }: { calls?: object; scope?: string },
  { grantedScopes }: Pick<PublishAccount, "grantedScopes">,
): Ability {
  if (!calls) return "impossible";
  if (scope === undefined) return "possible";
  if (grantedScopes === undefined) return "unknown";
  return grantedScopes.includes(scope) ? "possible" : "impossible";
}
