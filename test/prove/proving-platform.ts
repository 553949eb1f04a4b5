import type { Arrival } from "./findings.ts";
import type { CallKind } from "./protocol.ts";

/** A call as the platform understands it. */
export interface Call {
  kind: CallKind;
  /** The text of the post, where the call names it. */
  text: string | null;
  /**
   * Does what the call asks for: a submit is accepted at `acceptedAt`, which may be still to come, and
   * can be found at `visibleAt`.
   */
  answer(acceptedAt: number, visibleAt: number): Response | Promise<Response>;
  /** Answers as if the token had ended. */
  refuseToken(): Response | Promise<Response>;
}

/** The platform that a world posts to. */
export interface ProvingPlatform {
  read(request: Request): Promise<Call>;
  /** Returns the body of `POST /accounts` for an account of this name. */
  account(name: string): object | Promise<object>;
  /** Adds the post's text and what else it needs to its form; `account` is the name it goes out under. */
  fill(fields: FormData, text: string, i: number, account: string): void | Promise<void>;
  /** How many look-ups it turned away because its listings were behind. */
  lateListings: number;
  /** Every post that was made. */
  arrivals(): Promise<Arrival[]>;
}
