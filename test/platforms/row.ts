import type { Platform } from "../../src/core/platforms.ts";
import type { SimulatedCall } from "../../src/sandbox/kit/state-call.ts";
import type { Fields } from "../support/harness.ts";
import type { StageOptions } from "../support/stage.ts";

/** How often calls of these names are made. */
export type Counts = Record<string, number>;

/**
 * Trouble of a post on its way: a steering word, or `killed`, where its worker dies before it can store
 * the outcome.
 */
export type Trouble = "lost_reply" | "token_expired" | "5xx=2" | "killed";

/** One kind of post that a platform takes, as plain as it gets. */
export interface Kind {
  fields(text: string): Fields;
  /** The call that the post comes of: the last one, which cannot be undone. */
  submit: string;
  /** Calls that are counted beside it, by what happens on the way. */
  calls?: Partial<Record<Trouble, Counts>>;
  /** After these nobody can find out whether the post is there, so it is never sent again. */
  undecided?: Trouble[];
  /** Seconds that the platform works on it, and the call that asks how far it is, made at least so often. */
  slow?: { seconds: number; asks?: [name: string, atLeast: number] };
}

/** A post with settings, and what arrives of it. */
export interface Arrival {
  what: string;
  fields(): Fields;
  /** Names of the calls in their order, or how many of some there are. */
  calls?: string[] | Counts;
  /** Names of the first calls. */
  first?: string[];
  /** Parts of the post in the platform's feed. */
  feed: Record<string, unknown>;
  /** Parts of the media in the feed, where they are not the files byte for byte. */
  media?: object[];
  /** Where it differs from that of the platform's other posts; null: there is none. */
  address?: RegExp | null;
  warnings?: RegExp;
  person?: string;
}

/** How a platform's figures show posts. */
export interface Measured {
  /** Posts that were made elsewhere are read as well. */
  hasOthers: boolean;
  /** Instants are exact to so many ms. */
  instantMs: 1 | 1_000;
  hasViews: boolean;
  /** A count that it has. */
  counts: "likes" | "shares";
}

/** One platform's part of the conformance suite. */
export interface Row extends StageOptions {
  platform: Platform;
  /** Whose account it is, where a platform has several rows. */
  as?: string;
  /** A short name of a call. */
  nameOf(call: SimulatedCall): string | Promise<string>;
  address: RegExp;
  /** The call that renews a login; null where tokens are exchanged otherwise. */
  refresh: string | null;
  /** Calls that only ask something, made before a file is looked at. */
  asks?: string[];
  /** The file of a plain post. */
  media: "photo" | "video";
  /** Left out where this account has no figures. */
  measured?: Measured;
  kinds: Record<string, Kind>;
  arrivals: Arrival[];
  /** Posts that are refused as they come in, and the fields that are named. */
  refused: [what: string, fields: () => Fields, named: string[]][];
  /** Files that turn out to be no good once they are looked at, and what is said of them. */
  unsendable: [what: string, fields: () => Fields, message: string | RegExp][];
}
