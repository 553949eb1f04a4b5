import type { OtherApp } from "../core/platforms.ts";
import type { Result } from "../core/result.ts";
import type { Fetch } from "./fetch.ts";

/** Names come from servers that anyone may run. */
export const MAX_NAME_CHARACTERS = 200;

export interface AppKeys {
  clientId: string;
  clientSecret: string;
  /** Permissions that replace the platform's usual ones. */
  scopes?: readonly string[];
  /** Id of the login configuration in Meta's app dashboard. */
  configId?: string;
  privateKey?: PrivateKey;
  /** Absent for the platform's first app. */
  other?: OtherApp;
}

export interface PrivateKey {
  kty: "EC";
  crv: "P-256";
  x: string;
  y: string;
  d: string;
  kid: string;
}

/** Stored encrypted. */
export interface Credentials {
  accessToken: string;
  refreshToken: string | null;
  /** Null for never or unknown. */
  expiresAt: Date | null;
  refreshEndsAt?: Date | null;
  /** When the platform stops giving the app the person's data, although the login works. */
  dataAccessEndsAt?: Date | null;
  /** Renewing does not extend `refreshEndsAt`. */
  isEndFixed?: true;
  /** `refreshEndsAt` is a guess: once it has passed, the platform is asked. */
  isEndPresumed?: true;
  /** Further secrets for calls or renewals. */
  extra?: Record<string, string>;
}

export interface Profile {
  platformAccountId: string;
  /** The person behind the login. Absent where the platform does not tell. */
  platformUserId?: string | null;
  accountName: string;
  handle: string | null;
  profileImageUrl: string | null;
  service: string | null;
  serverLimits?: ServerLimits;
}

export interface Connected {
  profile: Profile;
  credentials: Credentials;
  /** Only the account's own server vouches for its id. */
  unproven?: LoginRefusal;
}

/** `final`: only a person can renew the login. */
export interface LoginRefusal {
  message: string;
  final: boolean;
  /** The platform or the person has ended the login. */
  isEnded?: true;
  /** As the platform asks, after a refusal that is not final. */
  retryAfterSeconds?: number;
  /** The refusal concerns no other login of the app. */
  isAboutLogin?: true;
  /** The wrong field of the request. Absent when the login itself is refused. */
  field?: string;
}

/** Logins that end this soon have a cause that the owner of the app can mend. */
export interface EarlyEnd {
  withinDays: number;
  /** Sentences: the cause, and what to do. */
  advice: string;
}

export interface LoginField {
  /** In requests. Two forms of one platform differ in the fields that are needed. */
  name: string;
  label: string;
  hint?: string;
  maxLength: number;
  isSecret?: true;
  isOptional?: true;
  /** An address of a server, which must be a public one. */
  isAddress?: true;
}

export type LoginValues = Readonly<Record<string, string | undefined>>;

/** A way to connect an account without a consent page. */
export interface LoginForm {
  /** As in "By an app password". */
  title: string;
  fields: readonly LoginField[];
  connect(fetch: Fetch, values: LoginValues): Promise<Result<Connected, LoginRefusal>>;
}

/** What the account's own server accepts, where it differs from the platform's capabilities. */
export interface ServerLimits {
  postCharacters?: number;
  altTextCharacters?: number;
  /** Each address counts as this many characters. */
  linkCharacters?: number;
  maxFiles?: number;
  imageMaxBytes?: number;
  videoMaxBytes?: number;
  mimeTypes?: readonly string[];
  pollOptions?: number;
  pollOptionCharacters?: number;
  /** Seconds. */
  pollMinSeconds?: number;
  pollMaxSeconds?: number;
}

export interface IdentifyOptions {
  /** Origin of the account's server, where a network has many. */
  service: string | null;
  /** The page to connect, when a login covers several. Null connects the person. */
  pageId: string | null;
  /** Absent for the platform's first app. */
  app?: OtherApp | null;
}

/** Covers the app's id and secret only. `unknown`: no clear answer. */
export interface AppCheck {
  verdict: "right" | "wrong" | "unknown";
  message: string;
  /** The platform knows the app, but not the redirect URL. */
  isAboutRedirect?: true;
  /** The app cannot publish for everybody yet. */
  isUnpublished?: true;
}

export interface PublishAccount {
  platformAccountId: string;
  handle: string | null;
  /** Origin of the account's server, where a network has many. */
  service: string | null;
  /** Only the account's server vouches for the account's id. */
  isUnproven?: true;
  /** Absent for the platform's first app. */
  app?: OtherApp;
  /** Granted optional scopes. Absent when unknown. */
  grantedScopes?: readonly string[];
  serverLimits?: ServerLimits;
}
