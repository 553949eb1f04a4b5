import { networkOf } from "../../core/client-ip.ts";
import { randomHex } from "../../core/ids.ts";
import { sha256Hex } from "../../core/signature.ts";
import { addSeconds } from "../../core/time.ts";
import type { Query } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { SESSION_LIFETIME_SECONDS, sessionCookie, sessionToken } from "../auth/cookie.ts";
import type { EventData } from "../events/catalogue.ts";
import { emit } from "../events/repo.ts";
import { ownsTeam, ownTeam } from "./repo/links.ts";
import { endSessionByHash, insertSession } from "./repo/sessions.ts";

const MAX_USER_AGENT = 300;

export interface Visit {
  headers: Headers;
  /** Scheme and host in the browser. Passkeys are bound to this host for ever. */
  origin: string;
}

export async function presentedSession(
  { config }: Pick<Deps, "config">,
  { headers, origin }: Visit,
): Promise<string | null> {
  const token = await sessionToken(headers.get("cookie"), origin, config.signingKey);
  return token === null ? null : sha256Hex(token);
}

interface SignIn {
  userId: number;
  method: EventData<"security.login">["method"];
  /** Statements of the same batch. */
  changes?: readonly Query<unknown>[];
}

/** Null for an account that was closed meanwhile. */
export async function startSession(
  deps: Deps,
  visit: Visit,
  { userId, method, changes = [] }: SignIn,
): Promise<string | null> {
  const { headers, origin } = visit;
  const at = deps.now();
  const token = randomHex(32);
  const session = {
    tokenHash: await sha256Hex(token),
    userId,
    ipAddress: networkOf(headers.get("cf-connecting-ip")),
    userAgent: headers.get("user-agent")?.slice(0, MAX_USER_AGENT) || null,
    at,
    expiresAt: addSeconds(at, SESSION_LIFETIME_SECONDS),
  };
  const team = ownTeam(userId);
  const data = { userId, method };
  const [started] = await deps.db.run([
    insertSession(session),
    emit(deps, { team, name: "security.login", data }, ownsTeam(userId)),
    // A copy of the previous session's cookie must not work.
    endSessionByHash({ hash: (await presentedSession(deps, visit)) ?? "" }),
    ...changes,
  ]);
  return started === 0 ? null : sessionCookie(token, origin, deps.config.signingKey);
}
