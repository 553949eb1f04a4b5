import type { Result } from "../core/result.ts";
import type { AccountCall } from "./removal.ts";
import type { Stopped } from "./stopped.ts";

export interface Mentions {
  /** Null where nothing is linked. */
  syntax: string | null;
  /** Sentences for people who write posts. */
  note: string;
  /** Absent where `@[Name](urn:…)` becomes the name alone. */
  takesUrns?: true;
  mayStayText?: { pattern: RegExp; warning: string };
}

export interface MentionedAccount {
  name: string;
  handle: string | null;
  /** What a post's text has to contain. */
  mention: string;
  url: string;
}

export interface MentionFinder {
  query: RegExp;
  /** Follows "must be". */
  expected: string;
  find(call: AccountCall, query: string): Promise<Result<MentionedAccount[], Stopped>>;
}
