import type { Deps } from "../../deps.ts";
import { COOKIE_PREFIX, SESSION_LIFETIME_SECONDS, sessionSecret } from "../auth/cookie.ts";
import { databaseAdapter, type Makers } from "./adapter.ts";
import { APIError, betterAuth, magicLink, passkey } from "./better-auth.ts";

interface AuthParts extends Makers {
  deps: Pick<Deps, "config" | "db" | "log" | "now">;
  /** The scheme and host that the browser uses. Passkeys are bound to this host for ever. */
  origin: string;
  hashToken(token: string): Promise<string>;
}

/** The passkey plugin does not require user verification: see better-auth's pull request 11155. */
async function requireUserVerified(isVerified: boolean | undefined): Promise<void> {
  if (isVerified === true) return;
  throw new APIError("BAD_REQUEST", {
    code: "USER_NOT_VERIFIED",
    message: "The device did not check who you are.",
  });
}

/**
 * Creates better-auth for one request: a shared instance blocks later requests when the first is aborted (its issue
 * 10315). Its routes are not served.
 */
export function createAuth({ deps, origin, hashToken, ...makers }: AuthParts) {
  const timestamps = { createdAt: "created_at", updatedAt: "updated_at" };
  return betterAuth({
    appName: "Akimbo",
    baseURL: origin,
    secret: sessionSecret(deps.config.signingKey),
    database: databaseAdapter(deps, makers),
    emailAndPassword: { enabled: false },
    user: { modelName: "users", fields: { emailVerified: "email_verified", ...timestamps } },
    session: {
      modelName: "sessions",
      fields: {
        token: "token_hash",
        userId: "user_id",
        ipAddress: "ip_address",
        userAgent: "user_agent",
        expiresAt: "expires_at",
        ...timestamps,
      },
      expiresIn: SESSION_LIFETIME_SECONDS,
      disableSessionRefresh: true,
      cookieCache: { enabled: false },
    },
    verification: {
      modelName: "verifications",
      fields: { expiresAt: "expires_at", ...timestamps },
      disableCleanup: true,
    },
    advanced: {
      cookiePrefix: COOKIE_PREFIX,
      useSecureCookies: origin.startsWith("https:"),
      database: { generateId: "serial" },
      ipAddress: { ipAddressHeaders: ["cf-connecting-ip"] },
    },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: {
      level: "warn",
      log: (level, message) => deps.log({ event: "sign_in.warning", level, message }),
    },
    plugins: [
      magicLink({
        storeToken: { type: "custom-hasher", hash: hashToken },
        sendMagicLink: () => {
          throw new Error("Links are made by the use-case that mails them.");
        },
      }),
      passkey({
        rpName: "Akimbo",
        rpID: new URL(origin).hostname,
        origin,
        registration: {
          afterVerification: ({ verification }) =>
            requireUserVerified(verification.registrationInfo?.userVerified),
        },
        authentication: {
          afterVerification: ({ verification }) =>
            requireUserVerified(verification.authenticationInfo.userVerified),
        },
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
        schema: {
          passkey: {
            modelName: "passkeys",
            fields: {
              userId: "user_id",
              credentialID: "credential_id",
              publicKey: "public_key",
              deviceType: "device_type",
              backedUp: "backed_up",
              createdAt: "created_at",
            },
          },
        } as never,
      }),
    ],
  });
}
