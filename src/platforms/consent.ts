import type { Platform } from "../core/platforms.ts";
import type { Result } from "../core/result.ts";
import type { Fetch } from "./fetch.ts";
import type { AppKeys, Connected, LoginRefusal } from "./login.ts";

/** The facts of a try before a person is sent to a platform's consent page. */
export interface ConsentStart {
  /** Comes back with the person. */
  state: string;
  /** The address of ours that the platform sends the person back to, as it is registered there. */
  redirectUri: string;
  /** The secret of PKCE: 43 to 128 unreserved characters. */
  verifier: string;
  /** The handle, DID or server that the person gave, where a network has many servers; else null. */
  identifier: string | null;
  /** The origin of this instance, as browsers know it. */
  origin: string;
}

/** The way to a consent page. */
export interface Consent {
  url: string;
  /** Needed again when the person comes back. Stored encrypted. */
  memory?: Record<string, string>;
}

/** The facts of a try when the person has come back. */
export interface ConsentReturn extends Omit<ConsentStart, "state" | "identifier"> {
  /** The parameters of the callback: an error of the platform is among them where it refused. */
  query: URLSearchParams;
  state: string;
  memory: Record<string, string>;
}

/** A person's consent, exchanged for logins. */
export interface Grant {
  /** The accounts it covers: one, or the pages and channels to choose from. */
  accounts: Connected[];
  /** The scopes that were granted; null where the platform does not say. */
  scopes: string[] | null;
  /** The permissions that were asked for; absent where that was every one. */
  asked?: readonly string[];
}

/** `declined`: the person said no. `incomplete`: without a permission that is needed. */
export type ConsentFailure = "declined" | "incomplete" | "no_account" | "refused" | "unavailable";

export interface ConsentRefusal extends Omit<LoginRefusal, "final" | "field"> {
  failure: ConsentFailure;
}

/** The permissions that a person is asked for, as the platform writes them. */
export interface ConsentScopes {
  /** Without one of these nothing can be published. */
  required: readonly string[];
  /** Needed for more, such as analytics: an account is connected without them. */
  optional: readonly string[];
  /** The words of people for each: `publish posts`. */
  inWords?: Readonly<Record<string, string>>;
}

/** A message that a platform sends by itself, as it came. */
export interface PlatformMessage {
  headers: Headers;
  body: string;
}

/** A message's content, which the platform has signed. */
export interface Withdrawal {
  /** The person who withdrew their consent, or whose account it was; null where the message is about something else. */
  platformUserId: string | null;
  /** When the platform sent it; null where it does not say. */
  at: Date | null;
}

/** Fields of an app's settings at its platform that take addresses of ours, by the names they have there. */
export interface WithdrawalFields {
  /** Field for the address to which withdrawn consent is reported. */
  withdrawn: string;
  /** Field for the address that gets requests to delete a person's data; absent when the platform has none. */
  deletion?: string;
}

/** Messages of a platform about people who withdrew their consent there. */
export interface Withdrawals {
  fields: WithdrawalFields;
  /** Platforms whose app's secret may have signed instead of its own. */
  alsoSignedBy?: readonly Platform[];
  /** Returns null for a message that was not signed with this secret. */
  read(message: PlatformMessage, clientSecret: string): Promise<Withdrawal | null>;
}

/** Connecting an account by the platform's own consent page. */
export interface ConsentPage extends ConsentScopes {
  /** The person's part there, in one sentence. */
  asks: string;
  /** The label of the field for the account's handle or server; absent where one page serves all. */
  identifierLabel?: string;
  /** Any instance may send people there: its owner registers no app. */
  needsNoApp?: true;
  /**
   * The document by which the platform knows this instance, where that takes the place of registering an
   * app. Served at `/oauth/<platform>/client-metadata.json`.
   */
  clientMetadata?(
    site: Pick<ConsentStart, "origin" | "redirectUri">,
    app: AppKeys | null,
  ): Promise<object>;
  /** The way to the consent page. It may ask the network on the way. */
  begin(fetch: Fetch, start: ConsentStart, app: AppKeys): Promise<Result<Consent, ConsentRefusal>>;
  /** Exchanges what the person came back with for logins that last, with the accounts they are for. */
  finish(fetch: Fetch, back: ConsentReturn, app: AppKeys): Promise<Result<Grant, ConsentRefusal>>;
}
