import * as z from "zod";
import { isAccessToken, isRefreshToken } from "../../core/access-token.ts";
import { DAY, SECOND } from "../../core/time.ts";
import { isLoopback } from "../../core/url-policy.ts";
import { oneLine, readText } from "../../platforms/kit/replies.ts";
import { parseJson } from "../json.ts";
import { Misuse, Problem } from "../program.ts";
import { describeNetworkError, isTemporaryStatus, TemporaryProblem } from "../retry.ts";

export const CLIENT_ID = "akimbo-cli";

/** Shorter than the lock of a login lasts. */
const TIMEOUT_MS = 10 * SECOND;

const MAX_ANSWER_BYTES = 65_536;
const MAX_WORDS = 200;

/** Words of the server for a terminal, which could execute control characters. */
export const shown = (words: string): string => oneLine(words, MAX_WORDS);

/** Whole seconds that the server names, within limits. */
export const seconds = (min: number, max: number) =>
  z.number().transform((value) => Math.min(max, Math.max(min, Math.trunc(value))));

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

/**
 * Follows no redirect, because a token must not reach another server.
 *
 * @throws TemporaryProblem; Problem for an answer that is too long
 */
async function ask(address: string, init: RequestInit = {}): Promise<Answer> {
  const { origin, pathname } = new URL(address);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(address, { ...init, redirect: "manual", signal });
    const text = response.body ? await readText(response, MAX_ANSWER_BYTES) : "";
    if (text !== null) return { status: response.status, body: parseJson(text), text };
  } catch (error) {
    throw new TemporaryProblem(
      `${origin} cannot be reached: ${shown(describeNetworkError(error))}`,
    );
  }
  throw new Problem(
    `${origin} answers ${pathname} with more than ${MAX_ANSWER_BYTES} bytes. Check the address.`,
  );
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
    throw new Problem(
      `The server at ${origin} says that it is ${shown(data.issuer)}. Use that address.`,
    );
  }
  return {
    origin,
    authorizationEndpoint: ownAddress(data.authorization_endpoint, origin),
    tokenEndpoint: ownAddress(data.token_endpoint, origin),
    revocationEndpoint: ownAddress(data.revocation_endpoint, origin),
    deviceEndpoint: ownAddress(data.device_authorization_endpoint, origin),
  };
}

/** Returns the address as a browser writes it. @throws Problem for one of another server */
export function ownAddress(address: string, origin: string): string {
  const href = URL.parse(address)?.href;
  // To compare origins would let `blob:` addresses pass, and a user name that looks like another host.
  if (href?.startsWith(`${origin}/`)) return href;
  throw new Problem(`The server at ${origin} sends its sign-in elsewhere, to ${shown(address)}.`);
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
  const words = shown(data?.error_description ?? data?.error ?? answer.text);
  const message = `POST ${path}: ${answer.status} ${words}`;
  if (isTemporaryStatus(answer.status)) throw new TemporaryProblem(message);
  throw new SignInRefusal(data?.error ?? "", message);
}

const YEAR_SECONDS = (365 * DAY) / SECOND;
/** All scopes together are shorter. */
const MAX_SCOPE = 1_000;

const tokens = z.object({
  access_token: z.string().refine(isAccessToken),
  refresh_token: z.string().refine(isRefreshToken),
  expires_in: seconds(1, YEAR_SECONDS),
  scope: z.string().transform((text) => oneLine(text, MAX_SCOPE)),
});
export type Tokens = z.infer<typeof tokens>;

/** @throws SignInRefusal; TemporaryProblem; Problem for another answer, and for tokens of another form */
export async function postForTokens(
  address: string,
  fields: Record<string, string>,
): Promise<Tokens> {
  const { data } = tokens.safeParse(await post(address, fields));
  if (data) return data;
  throw new Problem(`POST ${new URL(address).pathname}: the answer holds no tokens of Akimbo.`);
}
