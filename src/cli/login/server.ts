import * as z from "zod";
import { SECOND } from "../../core/time.ts";
import { isLoopback } from "../../core/url-policy.ts";
import { parseJson } from "../json.ts";
import { Misuse, Problem } from "../program.ts";
import { describeNetworkError, isTemporaryStatus, TemporaryProblem } from "../retry.ts";

export const CLIENT_ID = "akimbo-cli";

/** Shorter than the lock of a login lasts. */
const TIMEOUT_MS = 10 * SECOND;

const metadata = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  revocation_endpoint: z.string(),
  device_authorization_endpoint: z.string(),
});

/** Where an instance signs programs in. */
export interface SignInServer {
  origin: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  revocationEndpoint: string;
  deviceEndpoint: string;
}

interface Answer {
  status: number;
  body: unknown;
  text: string;
}

/** Follows no redirect, because a token must not reach another server. @throws TemporaryProblem */
async function ask(address: string, init: RequestInit = {}): Promise<Answer> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(address, { ...init, redirect: "manual", signal });
    const text = await response.text();
    return { status: response.status, body: parseJson(text), text };
  } catch (error) {
    const { origin } = new URL(address);
    throw new TemporaryProblem(`${origin} cannot be reached: ${describeNetworkError(error)}`);
  }
}

/**
 * Reads the metadata of the instance.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8414
 * @throws Misuse for plain http to another machine; Problem for a server that is not the one it says, or too old
 */
export async function discover(origin: string): Promise<SignInServer> {
  const { protocol, hostname } = new URL(origin);
  if (protocol !== "https:" && !isLoopback(hostname)) {
    throw new Misuse(`Others could read the login on its way to ${origin}. Use its https address.`);
  }
  const { status, body } = await ask(`${origin}/.well-known/oauth-authorization-server`);
  if (isTemporaryStatus(status)) throw new TemporaryProblem(`${origin} answers ${status}.`);
  const { data } = metadata.safeParse(body);
  if (!data) {
    throw new Problem(
      `${origin} does not sign this program in (${status}). Check the address, or use a token.`,
    );
  }
  if (data.issuer !== origin) {
    throw new Problem(`The server at ${origin} says that it is ${data.issuer}. Use that address.`);
  }
  const server = {
    origin,
    authorizationEndpoint: data.authorization_endpoint,
    tokenEndpoint: data.token_endpoint,
    revocationEndpoint: data.revocation_endpoint,
    deviceEndpoint: data.device_authorization_endpoint,
  };
  for (const address of Object.values(server)) {
    if (URL.parse(address)?.origin === origin) continue;
    throw new Problem(`The server at ${origin} sends its sign-in elsewhere, to ${address}.`);
  }
  return server;
}

const refusal = z.object({ error: z.string(), error_description: z.string().optional() });

/** A refusal in the words of OAuth. */
export class SignInRefusal extends Problem {
  readonly code: string;

  constructor(code: string, description: string) {
    super(description);
    this.code = code;
  }
}

/** @throws SignInRefusal; TemporaryProblem when another try may help */
export async function post(address: string, fields: Record<string, string>): Promise<unknown> {
  const body = new URLSearchParams({ client_id: CLIENT_ID, ...fields });
  const answer = await ask(address, { method: "POST", body });
  if (answer.status === 200) return answer.body;
  const path = new URL(address).pathname;
  const { data } = refusal.safeParse(answer.body);
  const words = data?.error_description ?? data?.error ?? answer.text.slice(0, 200);
  const message = `POST ${path}: ${answer.status} ${words}`;
  if (isTemporaryStatus(answer.status)) throw new TemporaryProblem(message);
  throw new SignInRefusal(data?.error ?? "", message);
}

const tokens = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  expires_in: z.number(),
  scope: z.string(),
});
export type Tokens = z.infer<typeof tokens>;

/** @throws SignInRefusal; TemporaryProblem; Problem for another answer */
export async function postForTokens(
  address: string,
  fields: Record<string, string>,
): Promise<Tokens> {
  const { data } = tokens.safeParse(await post(address, fields));
  if (data) return data;
  throw new Problem(`POST ${new URL(address).pathname}: the answer holds no tokens.`);
}
