/** The keys of the owner's app at a platform, where refreshing or revoking a login needs them. */
export interface AppKeys {
  clientId: string;
  clientSecret: string;
}

/** An account's secrets at its platform. Stored encrypted. */
export interface Credentials {
  accessToken: string;
  refreshToken: string | null;
  /** Null when the platform did not say, or the token does not expire. */
  expiresAt: Date | null;
  /** When the refresh token itself ends; absent where the platform does not say. */
  refreshEndsAt?: Date | null;
}

export interface Profile {
  platformAccountId: string;
  accountName: string;
  handle: string | null;
  profileImageUrl: string | null;
  service: string | null;
}

export interface Connected {
  profile: Profile;
  credentials: Credentials;
}

/** `final`: the login is gone and only a person can renew it. Otherwise: try again later. */
export interface LoginRefusal {
  message: string;
  final: boolean;
  /** Field of the request that is wrong; left out for the login itself. */
  field?: "identifier" | "authFactorToken" | "pageId";
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
