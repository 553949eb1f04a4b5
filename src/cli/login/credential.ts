import { MINUTE, SECOND } from "../../core/time.ts";
import { Problem } from "../program.ts";
import { postForTokens, SignInRefusal, type Tokens } from "./server.ts";
import { type Login, readLogin, withLock, writeLogin } from "./store.ts";

/** The header that shows a token to its instance. */
export type TokenHeader = Readonly<Record<string, string>>;

/** Gives each call its token. */
export interface Credential {
  header(): Promise<TokenHeader>;
  /** For a token that the instance refused. Null when there can be no other. */
  renew: ((refused: TokenHeader) => Promise<TokenHeader>) | null;
}

/** `fetch` keeps this header from another server when it follows a redirect, unlike `x-api-key`. */
const toHeader = (token: string): TokenHeader => ({ authorization: `Bearer ${token}` });

export const ofToken = (token: string): Credential => ({
  header: async () => toHeader(token),
  renew: null,
});

/** Sends once more with a renewed token when the instance does not know the first. */
export async function sendWith<T extends { response: Response }>(
  credential: Credential,
  send: (header: TokenHeader) => Promise<T>,
): Promise<T> {
  const header = await credential.header();
  const answer = await send(header);
  if (answer.response.status !== 401 || !credential.renew) return answer;
  return send(await credential.renew(header));
}

/** A call may take this long to arrive. */
const EARLY_MS = MINUTE;

const isOld = ({ expiresAt }: Login, nowMs: number): boolean => nowMs > expiresAt - EARLY_MS;

interface Place {
  origin: string;
  path: string;
  /** The command that signs in. */
  remedy: string;
}

/** Reads the file for each call, because other processes renew the login, or end it. */
export const ofLogin = (place: Place): Credential => ({
  header: async () => {
    const login = await requireLogin(place);
    const current = isOld(login, Date.now()) ? await renew(place, login.accessToken) : login;
    return toHeader(current.accessToken);
  },
  renew: async ({ authorization = "" }) =>
    toHeader((await renew(place, authorization.replace("Bearer ", ""))).accessToken),
});

async function requireLogin({ origin, path, remedy }: Place): Promise<Login> {
  const login = await readLogin(path);
  if (login) return login;
  throw new Problem(`You are not signed in to ${origin}. Sign in: ${remedy}`);
}

/**
 * Renews the login once, however many processes ask. A repeated call is safe: the server gives the same tokens again.
 *
 * @param accessToken the one that is old or was refused
 */
function renew(place: Place, accessToken: string): Promise<Login> {
  const { origin, path, remedy } = place;
  return withLock(path, async () => {
    const login = await requireLogin(place);
    if (login.accessToken !== accessToken) return login;
    try {
      const { refreshToken, tokenEndpoint } = login;
      const tokens = await postForTokens(tokenEndpoint, {
        grant_type: "refresh_token",
        refresh_token: refreshToken,
      });
      const renewed = { ...login, ...toLogin(tokens, Date.now()) };
      await writeLogin(path, renewed);
      return renewed;
    } catch (error) {
      if (!(error instanceof SignInRefusal) || error.code !== "invalid_grant") throw error;
      throw new Problem(`Your login at ${origin} has ended. Sign in again: ${remedy}`);
    }
  });
}

export const toLogin = (tokens: Tokens, nowMs: number) => ({
  accessToken: tokens.access_token,
  refreshToken: tokens.refresh_token,
  expiresAt: nowMs + tokens.expires_in * SECOND,
  scope: tokens.scope,
});
