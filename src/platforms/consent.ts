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
  /** The handle, DID or server that the person entered. Null on networks with one server. */
  identifier: string | null;
  origin: string;
  /** The `extra` of the newest login at a server, on networks with many. Null where there is none. */
  earlierLogin?(server: string): Promise<Record<string, string> | null>;
}

export interface Consent {
  url: string;
  /** Passed from `begin` to `finish`, stored encrypted. */
  memory?: Record<string, string>;
}

export interface ConsentReturn extends Omit<ConsentStart, "state" | "identifier" | "earlierLogin"> {
  /** The callback's parameters, with `error` after a refusal. */
  query: URLSearchParams;
  state: string;
  memory: Record<string, string>;
}

export interface Grant {
  accounts: Connected[];
  /** Null where the platform names no granted scopes. */
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
  /** Accounts can be connected without these scopes. */
  optional: readonly string[];
  /** Optional scopes to ask for unless `APP_SCOPES` names others. Absent for all. */
  usual?: readonly string[];
  /** In words, such as `publish posts`. */
  inWords?: Readonly<Record<string, string>>;
}

/** APP_SCOPES replaces the usual scopes. */
export const besideOthers = (platform: Platform): string =>
  `beside the others that the step about permissions at /app/setup/${platform} names`;

export interface PlatformMessage {
  headers: Headers;
  body: string;
}

export interface Withdrawal {
  /** Null for messages on other matters than a withdrawn consent. */
  platformUserId: string | null;
  at: Date | null;
}

export interface WithdrawalFields {
  /** The platform's name of the field for our URL that receives withdrawals of consent. */
  withdrawn: string;
  /** Like `withdrawn`, for deletion requests. */
  deletion?: string;
}

export interface Withdrawals {
  fields: WithdrawalFields;
  /** Platforms whose app secret may also sign these messages. */
  alsoSignedBy?: readonly Platform[];
  read(message: PlatformMessage, clientSecret: string): Promise<Withdrawal | null>;
}

export interface ConsentPage extends ConsentScopes {
  asks: string;
  /** What posts are published as; absent where it is the account that consents. */
  publishesAs?: string;
  identifierLabel?: string;
  /** Why nothing can be reached by it, before anybody is asked; null otherwise. */
  refusedIdentifier?(identifier: string | null): Promise<string | null>;
  /** The instance needs no app at the platform. */
  needsNoApp?: true;
  /** The document that identifies an instance without an app, at `/oauth/<platform>/client-metadata.json`. */
  clientMetadata?(
    site: Pick<ConsentStart, "origin" | "redirectUri">,
    app: AppKeys | null,
  ): Promise<object>;
  begin(fetch: Fetch, start: ConsentStart, app: AppKeys): Promise<Result<Consent, ConsentRefusal>>;
  finish(fetch: Fetch, back: ConsentReturn, app: AppKeys): Promise<Result<Grant, ConsentRefusal>>;
}
