import type { Platform } from "../../src/core/platforms.ts";
import type { SimulatedCall } from "../../src/sandbox/kit/state-call.ts";
import type { Fields } from "../support/harness.ts";
import type { StageOptions } from "../support/stage.ts";

export type Counts = Record<string, number>;

/** What goes wrong: a steering word, or `killed`: the worker dies before it stores the outcome. */
export type Trouble = "lost_reply" | "token_expired" | "5xx=2" | "killed";

/** The plainest post of its kind. */
export interface Kind {
  fields(text: string): Fields;
  /** The call that creates the post and cannot be undone. */
  submit: string;
  /** Counted besides `submit`, by trouble. */
  calls?: Partial<Record<Trouble, Counts>>;
  /** After these it is unknowable whether the post exists, so it is never sent again. */
  undecided?: Trouble[];
  /** Seconds of processing, and how often at least the status call is made. */
  slow?: { seconds: number; asks?: [name: string, atLeast: number] };
}

/** A post with settings, and what the platform receives. */
export interface Arrival {
  what: string;
  fields(): Fields;
  /** Names in order, or counts. */
  calls?: string[] | Counts;
  first?: string[];
  feed: Record<string, unknown>;
  /** Where the feed's media differ from the files. */
  media?: object[];
  /** Null: the post has no URL. */
  address?: RegExp | null;
  warnings?: RegExp;
  person?: string;
}

export interface Measured {
  /** Posts made elsewhere are read too. */
  hasOthers: boolean;
  /** Precision of times. */
  instantMs: 1 | 1_000;
  hasViews: boolean;
  counts: "likes" | "shares";
}

export interface Row extends StageOptions {
  platform: Platform;
  /** Tells apart several rows of one platform. */
  as?: string;
  nameOf(call: SimulatedCall): string | Promise<string>;
  address: RegExp;
  /** Null where tokens are exchanged otherwise. */
  refresh: string | null;
  /** Reads made before the file is inspected. */
  asks?: string[];
  media: "photo" | "video";
  /** Where the usual photo is too small. */
  photo?(): Blob;
  /** Absent for accounts without figures. */
  measured?: Measured;
  kinds: Record<string, Kind>;
  arrivals: Arrival[];
  /** Posts refused on arrival, and the named fields. */
  refused: [what: string, fields: () => Fields, named: string[]][];
  /** Files refused on inspection, and the message. */
  unsendable: [what: string, fields: () => Fields, message: string | RegExp][];
}
