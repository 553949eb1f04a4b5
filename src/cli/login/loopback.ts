import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { MINUTE } from "../../core/time.ts";
import { Problem } from "../program.ts";
import { TRY_LATER } from "../retry.ts";
import { CLIENT_ID, postForTokens, type SignInServer, shown, type Tokens } from "./server.ts";

const WAIT_MS = 5 * MINUTE;
const HOST = "127.0.0.1";
const PATH = "/callback";

const random = (): string => randomBytes(32).toString("base64url");

interface SignIn {
  server: SignInServer;
  resource: string;
  scope: string;
  stopping: AbortSignal;
  /** Gets the address that the person has to open. */
  show(address: string): void;
}

/**
 * Signs in by a browser on this machine. Listens only until the browser comes back.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8252
 * @throws Problem for a refusal, and after 5 minutes
 */
export async function signInByBrowser(signIn: SignIn): Promise<Tokens> {
  const { server, resource, scope, stopping, show } = signIn;
  const [state, verifier] = [random(), random()];
  const ended = Promise.withResolvers<Tokens>();
  const listener = createServer((request, response) => {
    void receive(request, response).catch(ended.reject);
  }).listen(0, HOST);
  await once(listener, "listening");
  const host = `${HOST}:${(listener.address() as AddressInfo).port}`;
  const redirectUri = `http://${host}${PATH}`;
  let isReceived = false;

  /** Answers only the browser that has the state: others cannot end the sign-in. */
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? "", `http://${host}`);
    const isOwn = request.headers.host === host && url?.searchParams.get("state") === state;
    if (request.method !== "GET" || url?.pathname !== PATH || !isOwn || isReceived) {
      return answer(response, 404, "Nothing is here. Start again in the terminal.");
    }
    isReceived = true;
    try {
      const code = readCode(url.searchParams, server.origin);
      const tokens = await postForTokens(server.tokenEndpoint, {
        grant_type: "authorization_code",
        code,
        code_verifier: verifier,
        redirect_uri: redirectUri,
        resource,
      });
      await answer(response, 200, "You are signed in. You can close this page.");
      ended.resolve(tokens);
    } catch (error) {
      const message = error instanceof Problem ? error.message : "Something went wrong.";
      await answer(response, 400, `${message} You can close this page.`);
      ended.reject(error);
    }
  }

  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const query = new URLSearchParams({
    client_id: CLIENT_ID,
    response_type: "code",
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: "S256",
    state,
    scope,
    resource,
  });
  show(`${server.authorizationEndpoint}?${query}`);
  const timer = setTimeout(() => {
    const message = "The page was not answered within 5 minutes. Start again.";
    ended.reject(new Problem(message, TRY_LATER));
  }, WAIT_MS);
  const stop = () => ended.reject(new Problem("The sign-in was stopped."));
  stopping.addEventListener("abort", stop);
  try {
    return await ended.promise;
  } finally {
    clearTimeout(timer);
    stopping.removeEventListener("abort", stop);
    listener.close();
    listener.closeAllConnections();
  }
}

/** @throws Problem for a refusal, and for the answer of another server */
function readCode(answered: URLSearchParams, origin: string): string {
  // Source: RFC 9207, 2.4.
  if (answered.get("iss") !== origin) {
    throw new Problem(`The answer is not one of ${origin}. Nothing was signed in.`);
  }
  const code = answered.get("code");
  if (code) return code;
  const words = answered.get("error_description") ?? answered.get("error") ?? "there is no code";
  throw new Problem(`You are not signed in: ${shown(words)}`);
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);

async function answer(response: ServerResponse, status: number, text: string): Promise<void> {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    connection: "close",
  });
  const body = `<!doctype html><title>Akimbo</title><p>${escapeHtml(text)}</p>\n`;
  await new Promise<void>((resolve) => response.end(body, resolve));
}
