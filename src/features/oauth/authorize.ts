import type { Scope } from "../../core/scopes.ts";
import type { Deps } from "../../deps.ts";
import { type Client, getClient } from "./clients.ts";
import { type OAuthErrorCode, OAuthRefusal } from "./refusal.ts";
import {
  isChallenge,
  isRegisteredRedirect,
  readResource,
  readScopes,
  refusedRedirect,
} from "./rules.ts";
import type { Resource } from "./table.ts";

/** What a program asks of a person. */
export interface GrantRequest {
  client: Client;
  resource: Resource;
  scopes: Scope[];
}

export interface AuthorizationRequest extends GrantRequest {
  redirectUri: string;
  /** Goes back to the program unchanged. */
  state: string | null;
  challenge: string;
}

/** A refusal that is sent to the program, whose redirect address is registered. */
export interface RefusedRequest {
  redirectTo: string;
  reason: string;
}

const MAX_STATE = 2_000;

const ONCE = [
  "client_id",
  "redirect_uri",
  "response_type",
  "state",
  "scope",
  "code_challenge",
  "code_challenge_method",
] as const;

/** The parameters that the page reads, without others that came with them. */
export function ownQuery(query: URLSearchParams): URLSearchParams {
  const known: readonly string[] = [...ONCE, "resource"];
  return new URLSearchParams([...query].filter(([name]) => known.includes(name)));
}

interface Response {
  redirectUri: string;
  state: string | null;
  origin: string;
}

/** `iss` proves to the program whose answer it is. Source: RFC 9207. */
export function responseUrl(
  { redirectUri, state, origin }: Response,
  answer: Record<string, string>,
): string {
  const url = new URL(redirectUri);
  const sent = { ...answer, ...(state === null ? {} : { state }), iss: origin };
  for (const [name, value] of Object.entries(sent)) url.searchParams.append(name, value);
  return url.href;
}

export const errorUrl = (response: Response, code: OAuthErrorCode, description: string): string =>
  responseUrl(response, { error: code, error_description: description });

/**
 * Reads a program's request. Only a proven address of the program gets refusals; all others are shown to the person.
 *
 * @throws OAuthRefusal for an unknown program or an address that is not the program's
 */
export async function readAuthorization(
  deps: Deps,
  query: URLSearchParams,
  origin: string,
): Promise<AuthorizationRequest | RefusedRequest> {
  const one = (name: (typeof ONCE)[number]): string | null => query.get(name);
  const clientId = one("client_id") ?? "";
  const redirectUri = one("redirect_uri") ?? "";
  for (const name of ["client_id", "redirect_uri"]) {
    const count = query.getAll(name).length;
    if (count !== 1) throw new OAuthRefusal("invalid_request", `${name} must be there once.`);
  }
  const client = await getClient(deps, clientId, "fresh");
  if (!isRegisteredRedirect(client.redirectUris, redirectUri)) {
    throw new OAuthRefusal(
      "invalid_request",
      "The address to which the program wants the answer is not one that it has registered.",
      "redirect_uri_unregistered",
    );
  }
  const refusal = refusedRedirect(redirectUri);
  if (refusal) {
    throw new OAuthRefusal(
      "invalid_request",
      `The address to which the program wants the answer ${refusal}.`,
      "redirect_uri_refused",
    );
  }
  const state = one("state");
  try {
    return { client, redirectUri, ...readRest(query, client, origin) };
  } catch (error) {
    if (!(error instanceof OAuthRefusal)) throw error;
    const response = { redirectUri, state: keptState(state), origin };
    return { redirectTo: errorUrl(response, error.code, error.message), reason: error.reason };
  }
}

const keptState = (state: string | null) =>
  state !== null && state.length <= MAX_STATE ? state : null;

const invalid = (description: string, reason: string) =>
  new OAuthRefusal("invalid_request", description, reason);

/** @throws OAuthRefusal */
function readRest(query: URLSearchParams, client: Client, origin: string) {
  const repeated = ONCE.find((name) => query.getAll(name).length > 1);
  if (repeated) throw invalid(`${repeated} must be there once.`, "parameter_repeated");
  if (query.get("response_type") !== "code") {
    throw new OAuthRefusal("unsupported_response_type", "response_type must be code.");
  }
  const challenge = query.get("code_challenge") ?? "";
  if (query.get("code_challenge_method") !== "S256" || !isChallenge(challenge)) {
    throw invalid(
      "PKCE is needed: code_challenge, with code_challenge_method=S256.",
      "challenge_missing",
    );
  }
  const state = query.get("state");
  if (state !== null && state.length > MAX_STATE) {
    throw invalid(`state may have ${MAX_STATE} characters.`, "state_long");
  }
  const resource = readResource(query.getAll("resource"), origin, defaultResource(client));
  return { state, challenge, resource, scopes: readScopes(query.get("scope"), resource) };
}

/** Agents name their resource, so that a token for another server is never made by mistake. */
const defaultResource = ({ kind }: Client): Resource | null =>
  kind === "app" || kind === "cli" ? "api" : null;
