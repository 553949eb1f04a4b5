import type { Result } from "../core/result.ts";
import type { Fetch } from "./fetch.ts";
import type { PublishAccount } from "./login.ts";
import type { Stopped } from "./stopped.ts";

/** Who can see a rehearsal's post. `owner` includes people who manage the account or share the board. */
export const AUDIENCES = ["nobody", "owner", "connections", "everyone"] as const;
export type Audience = (typeof AUDIENCES)[number];

export interface RehearsalCall {
  account: PublishAccount;
  accessToken: string;
  /** Each call has a deadline. Redirects are not followed. */
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

/** The post as the platform shows it to the account. */
export interface ReadBack {
  isThere: boolean;
  /** The platform's own word for who sees the post, or for its state. Null when it does not say. */
  visibility: string | null;
}

/** Ids are those that `submit`, `settle` and `reconcile` answer. */
export interface Rehearsal {
  plan(call: RehearsalCall): Promise<Result<RehearsalPlan, Stopped>>;
  /**
   * Returns the id of what `prepare` made. Only for platforms whose posts cannot be deleted: the rehearsal ends before
   * `submit`.
   */
  draftId?(bookmark: Record<string, unknown>): Promise<string>;
  readBack(call: RehearsalCall, id: string): Promise<Result<ReadBack, Stopped>>;
  /** Deletes a post of the account. Deleting it twice is no error. Absent where the API deletes nothing. */
  remove?(call: RehearsalCall, id: string): Promise<Result<null, Stopped>>;
  /** The scope without which `remove` is refused. Absent where every login may delete. */
  removeScope?: string;
  /** A sentence: who sees a post for the audience `owner`. */
  seenByOwner?: string;
  /** A sentence: where the owner deletes the post, or what becomes of it. */
  byHand: string;
}

/** Whether the post can be deleted with this login. `needless`: nothing is published. */
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
