import type { Platform } from "../../src/core/platforms.ts";

export type CallKind = "step" | "submit" | "status" | "look-up" | "refresh" | "read";

/** A call to a platform, its body read. */
export interface Seen {
  method: string;
  url: URL;
  headers: Headers;
  /** Empty for what is no text. */
  body: string;
}

/** The harness's knowledge of a platform: enough to break it, and nothing of its connector. */
export interface Protocol {
  platform: Platform;
  /** A refresh token works once and at once: whoever loses the reply has lost the login. */
  refreshesOnce: boolean;
  /** The form field that takes the post's text. */
  textField: "title" | "description";
  /**
   * The largest share of posts that may be left to a person: well above the few per cent of the others
   * where some kind of post, or of account, cannot be asked about after a lost answer.
   */
  maxUndecided: number;
  /** The same share for parts. It may be higher, because no part after an undecided one is sent. Without it, `maxUndecided` holds. */
  maxUndecidedParts?: number;
  /** Returns the fields of `POST /accounts` for an account of this name, beside its tokens. */
  connection?(account: string): Promise<object>;
  /** The server of accounts that are connected by tokens, on networks with many. */
  service?: string;
  /** Returns the fields of the platform's own login form, which takes the place of tokens. */
  login?(account: string): Promise<object>;
  /** Adds what else a post of this platform needs; `i` counts the posts. */
  fill(fields: FormData, i: number, account: string): void | Promise<void>;
  kindOf(call: Seen): CallKind;
  /**
   * A key of the post that a submit would make, where the platform itself hides a repeated submit: the
   * same key again counts as a second post. Null: every accepted call makes a post that can be seen.
   */
  keyOf(call: Seen): string | null;
}

/** Largest share of undecided posts where every lost answer can be asked about: an answer may be ambiguous. */
export const FEW_UNDECIDED = 0.05;

export const formValue = ({ body }: Seen, name: string): string | null =>
  new URLSearchParams(body).get(name);

/** The last byte of the file is in it. */
export function isLastChunk({ headers }: Seen): boolean {
  const [, last, total] = /^bytes \d+-(\d+)\/(\d+)$/.exec(headers.get("content-range") ?? "") ?? [];
  return last !== undefined && Number(last) + 1 === Number(total);
}
