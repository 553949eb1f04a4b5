import type { Result } from "../core/result.ts";
import type { Fetch } from "./fetch.ts";
import type { PublishAccount } from "./login.ts";
import type { Stopped } from "./stopped.ts";

/** `owner` includes people who manage the account or share the board. */
export const AUDIENCES = ["nobody", "owner", "connections", "everyone"] as const;
export type Audience = (typeof AUDIENCES)[number];

export interface RehearsalCall {
  account: PublishAccount;
  accessToken: string;
  /** Calls have a deadline and follow no redirects. */
  fetch: Fetch;
  now(): Date;
}

/** The least visible post that the platform's API can make. */
export interface RehearsalPlan {
  audience: Audience;
  /** Form fields of the platform. */
  settings: Record<string, string>;
  sample: "image" | "video" | null;
  /** Sets `isHidden` of the job. */
  isHidden?: true;
}

export interface ReadBack {
  isThere: boolean;
  /** The platform's own word for the audience or state. Null when it does not say. */
  visibility: string | null;
}

/** `missing`: the platform does not know the post, which may be too new. */
export type Removed = "deleted" | "missing";

/** Ids are those that `submit`, `settle` and `reconcile` answer. */
export interface Rehearsal {
  plan(call: RehearsalCall): Promise<Result<RehearsalPlan, Stopped>>;
  /** Returns the id of what `prepare` made. Where posts cannot be deleted, the rehearsal ends before `submit`. */
  draftId?(bookmark: Record<string, unknown>): Promise<string>;
  readBack(call: RehearsalCall, id: string): Promise<Result<ReadBack, Stopped>>;
  /** Absent where the API deletes nothing. */
  remove?(call: RehearsalCall, id: string): Promise<Result<Removed, Stopped>>;
  /** Absent where every login may delete. */
  removeScope?: string;
  /** A sentence: who sees a post for the audience `owner`. */
  seenByOwner?: string;
  /** A sentence: where the owner deletes the post, or what becomes of it. */
  byHand: string;
}

/** Whether this login can delete the post. `needless`: nothing is published. */
export const REMOVALS = ["possible", "impossible", "unknown", "needless"] as const;
export type Removal = (typeof REMOVALS)[number];

export function removalOf(
  { draftId, remove, removeScope }: Pick<Rehearsal, "draftId" | "remove" | "removeScope">,
  { grantedScopes }: Pick<PublishAccount, "grantedScopes">,
): Removal {
  if (draftId) return "needless";
  if (!remove) return "impossible";
  if (removeScope === undefined) return "possible";
  if (grantedScopes === undefined) return "unknown";
  return grantedScopes.includes(removeScope) ? "possible" : "impossible";
}
