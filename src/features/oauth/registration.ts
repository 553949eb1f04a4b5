import * as z from "zod";
import { sha256Hex } from "../../core/signature.ts";
import type { Deps } from "../../deps.ts";
import { cleanName, newClientId, newSecret } from "./names.ts";
import { OAuthRefusal } from "./refusal.ts";
import { insertClient } from "./repo/clients.ts";
import { MAX_REDIRECT_LENGTH, MAX_REDIRECTS, refusedRedirect } from "./rules.ts";
import { AUTH_METHODS, type AuthMethod } from "./table.ts";

/** Clients send more than this: it is ignored. */
const registrationSchema = z.object({
  redirect_uris: z.array(z.string().max(MAX_REDIRECT_LENGTH)).min(1).max(MAX_REDIRECTS),
  client_name: z.string().max(500).nullish(),
  token_endpoint_auth_method: z.string().nullish(),
});

const DEFAULT_METHOD: AuthMethod = "client_secret_basic";

/** RFC 7591 lets a server register another method than was asked for. */
const methodOf = (requested: string | null | undefined): AuthMethod =>
  AUTH_METHODS.find((method) => method === requested) ?? DEFAULT_METHOD;

/**
 * Registers a program that asks for it, without proof of who it is.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7591
 * @throws OAuthRefusal invalid_client_metadata, invalid_redirect_uri
 */
export async function registerClient(deps: Deps, body: unknown) {
  const { data } = registrationSchema.safeParse(body);
  if (!data) {
    throw new OAuthRefusal(
      "invalid_client_metadata",
      `redirect_uris must list 1 to ${MAX_REDIRECTS} addresses.`,
    );
  }
  const { redirect_uris: redirectUris } = data;
  // A program may register addresses beside the one that it uses: a used one is judged again.
  const refusals = redirectUris.map(refusedRedirect);
  if (!refusals.includes(null)) {
    throw new OAuthRefusal("invalid_redirect_uri", `${redirectUris[0]} ${refusals[0]}.`);
  }
  const authMethod = methodOf(data.token_endpoint_auth_method);
  const secret = authMethod === "none" ? null : newSecret();
  const createdAt = deps.now();
  const id = newClientId();
  const host = URL.parse(redirectUris[refusals.indexOf(null)] ?? "")?.host ?? "";
  const name = cleanName(data.client_name ?? "") || host;
  await deps.db.run([
    insertClient({
      id,
      kind: "registered",
      teamId: null,
      name,
      redirectUris: JSON.stringify(redirectUris),
      authMethod,
      secretHash: secret && (await sha256Hex(secret)),
      createdBy: null,
      createdAt,
    }),
  ]);
  return {
    client_id: id,
    client_id_issued_at: Math.floor(createdAt.getTime() / 1_000),
    ...(secret === null ? {} : { client_secret: secret, client_secret_expires_at: 0 }),
    client_name: name,
    redirect_uris: redirectUris,
    token_endpoint_auth_method: authMethod,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  };
}
