import * as z from "zod";
import { ok, type Result, refuse } from "../../core/result.ts";
import { refusedUrl } from "../../core/url-policy.ts";
import type { Fetch } from "../connector.ts";
import { finalRefusal } from "../kit/logins.ts";
import type { LoginRefusal } from "../login.ts";
import { documentRequest, readerOf } from "./api.ts";
import { toLoginRefusal } from "./identity.ts";

/** The specification demands exactly one authorization server. */
const resource = z.object({ authorization_servers: z.tuple([z.string()]) });
const readResourceReply = readerOf(resource);

const callable = z.string().refine((url) => refusedUrl(url) === null);

const server = z.object({
  issuer: callable,
  authorization_endpoint: callable,
  token_endpoint: callable,
  pushed_authorization_request_endpoint: callable,
  revocation_endpoint: callable.optional(),
  client_id_metadata_document_supported: z.literal(true),
});

export type AuthorizationServer = z.infer<typeof server>;

const readServerReply = readerOf(server);

/**
 * Without a metadata document, the server itself issues logins.
 * @see https://atproto.com/specs/oauth#server-metadata
 */
export async function issuerOf(fetch: Fetch, pds: string): Promise<Result<string, LoginRefusal>> {
  const address = `${pds}/.well-known/oauth-protected-resource`;
  const reply = await readResourceReply(await fetch(documentRequest(address)));
  if (reply.ok) return ok(reply.value.authorization_servers[0]);
  return reply.error.status === 404 ? ok(pds) : refuse(toLoginRefusal(reply.error));
}

export async function discoverServer(
  fetch: Fetch,
  pds: string,
): Promise<Result<AuthorizationServer, LoginRefusal>> {
  const issuer = await issuerOf(fetch, pds);
  if (!issuer.ok) return issuer;
  const unusable = () =>
    finalRefusal(`${pds} has no login that this app can use. Check the address.`, "identifier");
  const isOrigin =
    refusedUrl(issuer.value) === null && new URL(issuer.value).origin === issuer.value;
  if (!isOrigin) return unusable();
  const address = `${issuer.value}/.well-known/oauth-authorization-server`;
  const reply = await readServerReply(await fetch(documentRequest(address)));
  if (reply.ok) return reply.value.issuer === issuer.value ? reply : unusable();
  const { status } = reply.error;
  return status >= 500 || status === 429 ? refuse(toLoginRefusal(reply.error)) : unusable();
}
