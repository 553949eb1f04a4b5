import type { Result } from "../core/result.ts";
import type { AccountCall } from "./removal.ts";
import type { Stopped } from "./stopped.ts";

export interface Mentions {
  syntax: string | null;
  note: string;
  /** Absent where `@[Name](urn:…)` becomes the name alone. */
  takesUrns?: true;
  mayStayText?: { pattern: RegExp; warning: string };
}

export interface MentionedAccount {
  name: string;
  handle: string | null;
  mention: string;
  url: string;
}

export interface MentionFinder {
  query: RegExp;
  /** Follows "must be". */
  expected: string;
  find(call: AccountCall, query: string): Promise<Result<MentionedAccount[], Stopped>>;
}
