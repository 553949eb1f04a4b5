import { ok, type Result } from "../../core/result.ts";
import type { ConsentRefusal, ConsentStart } from "../consent.ts";
import { consentRefusal } from "../kit/consents.ts";
import type { AppKeys } from "../login.ts";
import { scopes } from "./capabilities.ts";

export const SCOPE = scopes.required.join(" ");

const METADATA_PATH = "/oauth/bluesky/client-metadata.json";

const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

export interface Client {
  id: string;
  redirectUri: string;
}

type Site = Pick<ConsentStart, "origin" | "redirectUri">;

/**
 * The id is the URL of our metadata, or on a developer's machine a URL that contains it.
 * @see https://atproto.com/specs/oauth#localhost-client-development
 */
export function clientOf({ origin, redirectUri }: Site): Result<Client, ConsentRefusal> {
  if (origin.startsWith("https:")) return ok({ id: origin + METADATA_PATH, redirectUri });
  if (!LOOPBACK.test(origin)) {
    return consentRefusal(
      "refused",
      "Bluesky sends people back to https addresses only. Open this instance by https, or on its own machine by http://localhost.",
    );
  }
  const here = new URL(redirectUri);
  // Servers refuse `localhost` in redirect URLs.
  if (here.hostname === "localhost") here.hostname = "127.0.0.1";
  const query = new URLSearchParams({ redirect_uri: here.href, scope: SCOPE });
  return ok({ id: `http://localhost?${query}`, redirectUri: here.href });
}

/** @see https://atproto.com/specs/oauth#client-id-metadata-document */
export async function clientMetadata(
  { origin, redirectUri }: Site,
  app: AppKeys | null,
): Promise<object> {
  return {
    client_id: origin + METADATA_PATH,
    application_type: "web",
    client_name: "Akimbo",
    client_uri: origin,
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    scope: SCOPE,
    dpop_bound_access_tokens: true,
    ...proofOfClient(app),
  };
}

function proofOfClient(app: AppKeys | null): object {
  if (!app?.privateKey) return { token_endpoint_auth_method: "none" };
  const { kty, crv, x, y, kid } = app.privateKey;
  return {
    token_endpoint_auth_method: "private_key_jwt",
    token_endpoint_auth_signing_alg: "ES256",
    jwks: { keys: [{ kty, crv, x, y, kid, alg: "ES256", use: "sig" }] },
  };
}
