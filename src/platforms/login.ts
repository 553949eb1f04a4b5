export interface AppKeys {
  clientId: string;
  clientSecret: string;
  /** Absent for the usual permissions. */
  scopes?: readonly string[];
  /** Meta's login configuration. */
  configId?: string;
  privateKey?: PrivateKey;
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
  /** Null for no end, or an unknown one. */
  expiresAt: Date | null;
  refreshEndsAt?: Date | null;
  /** Renewing does not extend `refreshEndsAt`. */
  isEndFixed?: true;
  /** Further secrets for calls or renewals. */
  extra?: Record<string, string>;
}

export interface Profile {
  platformAccountId: string;
  /** The person behind the login, if known. */
  platformUserId?: string | null;
  accountName: string;
  handle: string | null;
  profileImageUrl: string | null;
  service: string | null;
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
  /** The refusal concerns this login alone. */
  isAboutLogin?: true;
  /** The request's wrong field; absent for the login itself. */
  field?: "identifier" | "authFactorToken" | "pageId" | "service";
}

export interface PasswordLogin {
  identifier: string;
  appPassword: string;
  authFactorToken?: string;
  service?: string;
}

export interface IdentifyOptions {
  /** Origin of the account's server, where a network has many. */
  service: string | null;
  /** Where one login covers several pages; null for the person. */
  pageId: string | null;
}

/** `unknown`: no clear answer. Judges id and secret only. */
export interface AppCheck {
  verdict: "right" | "wrong" | "unknown";
  message: string;
}

export interface PublishAccount {
  platformAccountId: string;
  handle: string | null;
  /** Origin of the account's server (Bluesky's PDS). */
  service: string | null;
  /** Only that server vouches for the account's id. */
  isUnproven?: true;
}
