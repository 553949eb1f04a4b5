/** The keys of the owner's app at a platform, where refreshing or revoking a login needs them. */
export interface AppKeys {
  clientId: string;
  clientSecret: string;
  /** The permissions that the app may ask people for; absent for the usual ones. */
  scopes?: readonly string[];
  /** The configuration that holds the permissions, where the platform has such; absent for none. */
  configId?: string;
  /** The app's own key, where it signs in place of a secret. */
  privateKey?: PrivateKey;
}

/** A private key of ES256, as JWK. */
export interface PrivateKey {
  kty: "EC";
  crv: "P-256";
  x: string;
  y: string;
  d: string;
  kid: string;
}

/** An account's secrets at its platform. Stored encrypted. */
export interface Credentials {
  accessToken: string;
  refreshToken: string | null;
  /** Null when the platform did not say, or the token does not expire. */
  expiresAt: Date | null;
  /** When the refresh token itself ends; absent where the platform does not say. */
  refreshEndsAt?: Date | null;
  /** Renewing does not move that end. */
  isEndFixed?: true;
  /** Further secrets of the login, which its platform wants with each call or renewal. */
  extra?: Record<string, string>;
}

export interface Profile {
  platformAccountId: string;
  /** The person who gave the login; absent where nobody knows, or nothing asks for them. */
  platformUserId?: string | null;
  accountName: string;
  handle: string | null;
  profileImageUrl: string | null;
  service: string | null;
}

export interface Connected {
  profile: Profile;
  credentials: Credentials;
  /** Why nothing but the account's own server bears out its id; absent where the platform does. */
  unproven?: LoginRefusal;
}

/** `final`: the login is gone and only a person can renew it. Otherwise: try again later. */
export interface LoginRefusal {
  message: string;
  final: boolean;
  /** The platform answered about this login alone: it may renew others. */
  isAboutLogin?: true;
  /** Field of the request that is wrong; left out for the login itself. */
  field?: "identifier" | "authFactorToken" | "pageId" | "service";
}

/** The fields of a login by password; which are required is the network's business. */
export interface PasswordLogin {
  identifier: string;
  appPassword: string;
  /** The code that the platform mailed, where it asks for one. */
  authFactorToken?: string;
  service?: string;
}

export interface IdentifyOptions {
  /** Origin of the account's server, where a network has many. */
  service: string | null;
  /** The page to publish as, where one login covers a person's pages too; null: the person. */
  pageId: string | null;
}

/**
 * A platform's word on the owner's app. `unknown`: it did not answer, or its answer does not tell. Nothing but
 * the id and the secret is judged, unless `message` says more.
 */
export interface AppCheck {
  verdict: "right" | "wrong" | "unknown";
  /** In a sentence. */
  message: string;
}

/** The account as the connector needs it. */
export interface PublishAccount {
  /** The platform's own id of the account. */
  platformAccountId: string;
  handle: string | null;
  /** Origin of the account's server where a network has many (Bluesky's PDS), else null. */
  service: string | null;
  /** Nothing but that server bears out the id. */
  isUnproven?: true;
}
