import type { Board, Creator } from "../../platforms/extras.ts";

/** A sentence where the platform did not answer. */
export type CreatorAnswer = Creator | string;

/** Answers of platforms, by account. */
export interface LookUps {
  creators: ReadonlyMap<string, CreatorAnswer>;
  boards: ReadonlyMap<string, readonly Board[] | string>;
}

export const NOT_ASKED: LookUps = { creators: new Map(), boards: new Map() };
