import type { Result } from "../core/result.ts";
import type { PublishAccount } from "./login.ts";
import { type AccountCall, abilityOf, type PostRemoval, type ReadBack } from "./removal.ts";
import type { Stopped } from "./stopped.ts";

/** `owner` includes people who manage the account or share the board. */
export const AUDIENCES = ["nobody", "owner", "connections", "everyone"] as const;
export type Audience = (typeof AUDIENCES)[number];

/** The least visible post that the platform's API can make. */
export interface RehearsalPlan {
  audience: Audience;
  /** Form fields of the platform. */
  settings: Record<string, string>;
  sample: "image" | "video" | null;
  /** Sets `isHidden` of the job. */
  isHidden?: true;
}

/** Ids are those that `submit`, `settle` and `reconcile` answer. */
export interface Rehearsal {
  plan(call: AccountCall): Promise<Result<RehearsalPlan, Stopped>>;
  /** Returns the id of what `prepare` made. Where posts cannot be deleted, the rehearsal ends before `submit`. */
  draftId?(bookmark: Record<string, unknown>): Promise<string>;
  readBack(call: AccountCall, id: string): Promise<Result<ReadBack, Stopped>>;
  /** A sentence: who sees a post for the audience `owner`. */
  seenByOwner?: string;
  byHand?: string;
}

/** Whether this login can delete the post. `needless`: nothing is published. */
export const REMOVALS = ["possible", "impossible", "unknown", "needless"] as const;
export type Removal = (typeof REMOVALS)[number];

export const removalOf = (
  { rehearsal, removal }: { rehearsal: Pick<Rehearsal, "draftId">; removal: PostRemoval },
  account: Pick<PublishAccount, "grantedScopes">,
): Removal => (rehearsal.draftId ? "needless" : abilityOf(removal, account));
