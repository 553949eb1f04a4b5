import {
  createLinkToken,
  LINK_LIFETIME_MS,
  linkValue,
  signInPath,
} from "../../core/sign-in-link.ts";
import { sha256Hex } from "../../core/signature.ts";
import { addSeconds } from "../../core/time.ts";
import { runNamed } from "../../db/named.ts";
import type { Deps } from "../../deps.ts";
import { SESSION_LIFETIME_SECONDS, sessionToken } from "../auth/cookie.ts";
import type { EventData } from "../events/catalogue.ts";
import { emit } from "../events/repo.ts";
import { insertLink } from "../mail/repo.ts";
import { MAX_WAITING_LINKS, sendMail } from "../mail/service.ts";
import { createPerson, mayJoin } from "../teams/service.ts";
import { ownsTeam, ownTeam, userByEmail, userRow } from "./repo/links.ts";
import { endSessionByHash, insertSession } from "./repo/sessions.ts";
import { describeLinkMail, NOT_INVITED, passkeyRefusal } from "./rules.ts";

const MAX_USER_AGENT = 300;
const MAX_IP = 64;

/**
 * Runs after the response: its duration would reveal whether the address is known.
 *
 * @param email in lower case
 */
export async function mailLink(
  deps: Deps,
  { email, origin, next }: { email: string; origin: string; next: string | null },
): Promise<void> {
  const [[userId]] = await deps.db.run([userByEmail({ email })]);
  if (userId === undefined && !(await mayJoin(deps, email))) return;
  const { token, identifier } = await createLinkToken();
  const at = deps.now();
  const expiresAt = new Date(at.getTime() + LINK_LIFETIME_MS);
  const [made] = await deps.db.run([
    insertLink({
      identifier,
      value: linkValue(email),
      at,
      expiresAt,
      max: MAX_WAITING_LINKS,
      inviteHash: null,
    }),
  ]);
  if (made === 0) return;
  await sendMail(deps, { to: email, ...describeLinkMail(origin + signInPath(token, next)) });
}

export interface Visit {
  headers: Headers;
  origin: string;
}

type Method = EventData<"security.login">["method"];

/** better-auth is loaded lazily, because starting it takes 20 ms. */
async function openAuth(deps: Deps, { headers, origin }: Visit, method: Method) {
  const { createAuth } = await import("./auth.ts");
  const replaced = await sessionToken(headers.get("cookie"), origin, deps.config.signingKey);
  return createAuth({
    deps,
    origin,
    hashToken: sha256Hex,
    createUser: async (email) => {
      const { rows } = await runNamed(deps.db, {
        made: createPerson(deps, email),
        rows: userRow({ email }),
      });
      return rows[0] ?? null;
    },
    createSession: async ({ tokenHash, userId, values }) => {
      const at = deps.now();
      const session = {
        tokenHash,
        userId,
        ipAddress: cut(values.ip_address, MAX_IP),
        userAgent: cut(values.user_agent, MAX_USER_AGENT),
        at,
        expiresAt: addSeconds(at, SESSION_LIFETIME_SECONDS),
      };
      const team = ownTeam(userId);
      const data = { userId, method };
      const login = emit(deps, { team, name: "security.login", data }, ownsTeam(userId));
      // Ends the previous session: a copy of its cookie must not work.
      const hash = replaced === null ? "" : await sha256Hex(replaced);
      const [[row]] = await deps.db.run([
        insertSession(session),
        login,
        endSessionByHash({ hash }),
      ]);
      return row;
    },
  });
}

const cut = (text: unknown, max: number): string | null =>
  typeof text === "string" && text !== "" ? text.slice(0, max) : null;

export type LinkUse =
  | { kind: "signed-in"; cookies: string[] }
  /** The link was used, has expired or is unknown. */
  | { kind: "over" }
  /** The invite ended or the account was closed meanwhile. */
  | { kind: "closed" };

/** better-auth's errors for a verified address without an account. */
const NOT_LET_IN = [NOT_INVITED, "failed_to_create_session"];

/** Of concurrent attempts, only one signs in. */
export async function useLink(deps: Deps, visit: Visit, token: string): Promise<LinkUse> {
  const auth = await openAuth(deps, visit, "link");
  const { headers } = visit;
  const answer = await auth.api.magicLinkVerify({ query: { token }, headers, asResponse: true });
  if (answer.ok) return { kind: "signed-in", cookies: answer.headers.getSetCookie() };
  const location = new URL(answer.headers.get("location") ?? "/", visit.origin);
  const isClosed = NOT_LET_IN.includes(location.searchParams.get("error") ?? "");
  return { kind: isClosed ? "closed" : "over" };
}

/** better-auth validates all but the id. */
export interface PasskeyResponse {
  id: string;
  [part: string]: unknown;
}

export interface PasskeyAnswer {
  status: number;
  cookies: string[];
  body: unknown;
}

/** Removes the session's token from the answer. better-auth's 5xx for a malformed passkey becomes 400. */
async function toPasskeyAnswer(
  answer: Response,
  tells: "options" | "done",
): Promise<PasskeyAnswer> {
  const body = (await answer.json()) as { code?: string };
  const cookies = answer.headers.getSetCookie();
  if (answer.ok)
    return { status: 200, cookies, body: tells === "options" ? body : { success: true } };
  const { code } = body;
  const status = answer.status < 500 ? answer.status : 400;
  return { status, cookies, body: { success: false, error: passkeyRefusal(code), code } };
}

/** The person must have signed in within the last day. */
export async function startPasskey(deps: Deps, visit: Visit): Promise<PasskeyAnswer> {
  const auth = await openAuth(deps, visit, "passkey");
  const options = { query: {}, headers: visit.headers, asResponse: true } as const;
  return toPasskeyAnswer(await auth.api.generatePasskeyRegistrationOptions(options), "options");
}

export async function addPasskey(
  deps: Deps,
  visit: Visit,
  { response, name }: { response: PasskeyResponse; name: string },
): Promise<PasskeyAnswer> {
  const auth = await openAuth(deps, visit, "passkey");
  const body = { response, name };
  const answer = await auth.api.verifyPasskeyRegistration({
    body,
    headers: visit.headers,
    asResponse: true,
  });
  return toPasskeyAnswer(answer, "done");
}

/** better-auth has no setting to require user verification, so the option is added here. */
export async function startPasskeySignIn(deps: Deps, visit: Visit): Promise<PasskeyAnswer> {
  const auth = await openAuth(deps, visit, "passkey");
  const options = { headers: visit.headers, asResponse: true } as const;
  const made = await auth.api.generatePasskeyAuthenticationOptions(options);
  const answer = await toPasskeyAnswer(made, "options");
  if (answer.status !== 200) return answer;
  return { ...answer, body: { ...(answer.body as object), userVerification: "required" } };
}

export async function signInByPasskey(
  deps: Deps,
  visit: Visit,
  { response }: { response: PasskeyResponse },
): Promise<PasskeyAnswer> {
  const auth = await openAuth(deps, visit, "passkey");
  const answer = await auth.api.verifyPasskeyAuthentication({
    body: { response: response as never },
    headers: visit.headers,
    asResponse: true,
  });
  return toPasskeyAnswer(answer, "done");
}

export async function signOut(deps: Deps, { headers, origin }: Visit): Promise<void> {
  const token = await sessionToken(headers.get("cookie"), origin, deps.config.signingKey);
  if (token !== null) await deps.db.run([endSessionByHash({ hash: await sha256Hex(token) })]);
}
