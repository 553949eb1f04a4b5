import { sha256Hex } from "../../core/signature.ts";
import type { Deps } from "../../deps.ts";
import { readDocument } from "./documents.ts";
import { OAuthRefusal } from "./refusal.ts";
import { clientById } from "./repo/clients.ts";
import type { AuthMethod, ClientKind } from "./table.ts";

/** A program that may ask people for a grant. */
export interface Client {
  id: string;
  kind: ClientKind;
  name: string;
  /** The host of its metadata document; null when nothing proves who it is. */
  verifiedHost: string | null;
  /** The workspace whose app it is; null for all others. */
  teamName: string | null;
  redirectUris: string[];
  authMethod: AuthMethod;
  secretHash: string | null;
}

/** Of the project's own command line, on the machine of the person. */
export const CLI_CLIENT: Client = {
  id: "akimbo-cli",
  kind: "cli",
  name: "Akimbo command line",
  verifiedHost: null,
  teamName: null,
  redirectUris: ["http://127.0.0.1/callback"],
  authMethod: "none",
  secretHash: null,
};

const unknownClient = () =>
  new OAuthRefusal(
    "invalid_client",
    "This program is not registered here. Register it again.",
    "client_unknown",
  );

const isDocumentUrl = (id: string): boolean => id.startsWith("https://");

/** The stored document is enough where the client has already got a code or a token. */
export type Freshness = "fresh" | "stored";

/** @throws OAuthRefusal invalid_client */
export async function getClient(deps: Deps, id: string, freshness: Freshness): Promise<Client> {
  if (isDocumentUrl(id)) {
    const { name, redirectUris } = await readDocument(deps, id, freshness);
    return {
      id,
      kind: "document",
      name,
      verifiedHost: new URL(id).hostname,
      teamName: null,
      redirectUris,
      authMethod: "none",
      secretHash: null,
    };
  }
  if (id === CLI_CLIENT.id) return CLI_CLIENT;
  const [[row]] = await deps.db.run([clientById({ id })]);
  if (!row) throw unknownClient();
  return { ...row, verifiedHost: null };
}

interface Credentials {
  id: string;
  secret: string | null;
}

const badCredentials = (reason: string) =>
  new OAuthRefusal("invalid_client", "The client's id or secret is not right.", reason);

/**
 * Reads a client's id and secret from the form or from Basic authentication, never from both.
 *
 * @throws OAuthRefusal invalid_client, invalid_request
 */
export function readCredentials(authorization: string | null, form: URLSearchParams): Credentials {
  const id = form.get("client_id") ?? "";
  const secret = form.get("client_secret");
  const basic = /^Basic +([\w+/=-]+)$/i.exec(authorization ?? "")?.[1];
  if (basic === undefined) {
    if (id !== "") return { id, secret };
    throw new OAuthRefusal("invalid_request", "client_id is missing.");
  }
  if (secret !== null) {
    throw new OAuthRefusal(
      "invalid_request",
      "Send the client's secret once: by Basic or in the form.",
    );
  }
  const [basicId, basicSecret] = readBasic(basic);
  if (id !== "" && id !== basicId) throw badCredentials("client_ids_differ");
  return { id: basicId, secret: basicSecret };
}

/** Both parts are form-encoded. Source: RFC 6749, 2.3.1. */
function readBasic(encoded: string): [id: string, secret: string] {
  try {
    const text = atob(encoded);
    const colon = text.indexOf(":");
    const decode = (part: string) => decodeURIComponent(part.replaceAll("+", " "));
    if (colon > 0) return [decode(text.slice(0, colon)), decode(text.slice(colon + 1))];
  } catch {}
  throw badCredentials("basic_unreadable");
}

/** @throws OAuthRefusal invalid_client */
export async function authenticateClient(deps: Deps, { id, secret }: Credentials): Promise<Client> {
  const client = await getClient(deps, id, "stored");
  const { secretHash } = client;
  if (secretHash === null) return client;
  if (secret === null) throw badCredentials("secret_missing");
  // Both sides are hashes of 256 random bits, so that the time of the comparison tells nothing.
  if ((await sha256Hex(secret)) !== secretHash) throw badCredentials("secret_wrong");
  return client;
}
