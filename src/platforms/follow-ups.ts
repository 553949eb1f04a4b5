import type { FieldError } from "../core/errors.ts";
import type { Connector, Post } from "./connector.ts";

/** `post` continues a thread. `comment` is the first comment under a post. */
export const PART_KINDS = ["post", "comment"] as const;
export type PartKind = (typeof PART_KINDS)[number];

type Steps<S> = Pick<Connector<S>, "prepare" | "submit" | "settle" | "reconcile">;

/** What may follow a post. Where a kind has no steps of its own, it is a post that replies. */
export interface FollowUps<S = unknown> {
  kinds: readonly PartKind[];
  /** Settings of the post that its parts share. */
  settingsOf(settings: S): S;
  comment?: Steps<S> & {
    /** Refuses comments that the platform would refuse; `post` is the commented one. */
    check(text: string, post: Post<S>): Promise<FieldError[]>;
    /** The scope without which the platform refuses comments. */
    scope?: string;
  };
}

export function stepsOf<S>(connector: Connector<S>, kind: PartKind | null): Steps<S> {
  return kind === "comment" ? (connector.followUps?.comment ?? connector) : connector;
}
