import type { Platform } from "../core/platforms.ts";
import type { Result } from "../core/result.ts";
import type { Fetch } from "./fetch.ts";
import type { AppKeys, Connected, LoginRefusal } from "./login.ts";

export interface ConsentStart {
  state: string;
  /** As registered at the platform. */
  redirectUri: string;
  /** PKCE code verifier: 43 to 128 unreserved characters. */
  verifier: string;
  /** Handle, DID or server, where a network has many servers. */
  identifier: string | null;
  origin: string;
}

export interface Consent {
  url: string;
  /** Stored encrypted until the person returns from the platform. */
  memory?: Record<string, string>;
}

export interface ConsentReturn extends Omit<ConsentStart, "state" | "identifier"> {
  /** Has `error` after a refusal. */
  query: URLSearchParams;
  state: string;
  memory: Record<string, string>;
}

export interface Grant {
  accounts: Connected[];
  /** The granted scopes. Null where the platform does not name them. */
  scopes: string[] | null;
  requested?: readonly string[];
}

/** `declined`: the person said no. `incomplete`: a required permission is missing. */
export type ConsentFailure = "declined" | "incomplete" | "no_account" | "refused" | "unavailable";

export interface ConsentRefusal extends Omit<LoginRefusal, "final" | "field"> {
  failure: ConsentFailure;
}

export interface ConsentScopes {
  required: readonly string[];
  /** Accounts can be connected without these. */
  optional: readonly string[];
  /** For example `publish posts`. */
  inWords?: Readonly<Record<string, string>>;
}

export interface PlatformMessage {
  headers: Headers;
  body: string;
}

export interface Withdrawal {
  /** Who withdrew consent; null for messages on other matters. */
  platformUserId: string | null;
  at: Date | null;
}

export interface WithdrawalFields {
  /** The field for the URL that receives withdrawals of consent. */
  withdrawn: string;
  /** The field for the URL that receives requests to delete data. */
  deletion?: string;
}

export interface Withdrawals {
  fields: WithdrawalFields;
  /** Platforms whose app secret may sign the messages instead. */
  alsoSignedBy?: readonly Platform[];
  read(message: PlatformMessage, clientSecret: string): Promise<Withdrawal | null>;
}

export interface ConsentPage extends ConsentScopes {
  asks: string;
  identifierLabel?: string;
  /** Any instance may send people to this platform. */
  needsNoApp?: true;
  /** Served at `/oauth/<platform>/client-metadata.json`; identifies an instance without an app. */
  clientMetadata?(
    site: Pick<ConsentStart, "origin" | "redirectUri">,
    app: AppKeys | null,
  ): Promise<object>;
  begin(fetch: Fetch, start: ConsentStart, app: AppKeys): Promise<Result<Consent, ConsentRefusal>>;
  finish(fetch: Fetch, back: ConsentReturn, app: AppKeys): Promise<Result<Grant, ConsentRefusal>>;
}
