import { personOfAddress } from "../../core/email.ts";
import {
  createLinkToken,
  LINK_LIFETIME_MS,
  linkIdentifier,
  linkValue,
  signInPath,
} from "../../core/sign-in-link.ts";
import { runNamed } from "../../db/named.ts";
import type { Deps } from "../../deps.ts";
import { insertLink } from "../mail/repo.ts";
import { MAX_WAITING_LINKS, sendMail } from "../mail/service.ts";
import { createPerson, mayJoin } from "../teams/service.ts";
import { userByEmail } from "./repo/links.ts";
import { endSessionByHash } from "./repo/sessions.ts";
import { takeVerification } from "./repo/verifications.ts";
import { describeLinkMail } from "./rules.ts";
import { presentedSession, startSession, type Visit } from "./session.ts";

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

export type LinkUse =
  | { kind: "signed-in"; cookie: string }
  /** The link was used, has expired or is unknown. */
  | { kind: "over" }
  /** The invite ended or the account was closed meanwhile. */
  | { kind: "closed" };

/** Of concurrent attempts, only one signs in. */
export async function useLink(deps: Deps, visit: Visit, token: string): Promise<LinkUse> {
  const identifier = await linkIdentifier(token);
  const [[link]] = await deps.db.run([takeVerification({ identifier, now: deps.now() })]);
  if (link?.type !== "magic-link") return { kind: "over" };
  const userId = await findOrCreatePerson(deps, link.email);
  if (userId === null) return { kind: "closed" };
  const cookie = await startSession(deps, visit, { userId, method: "link" });
  return cookie === null ? { kind: "closed" } : { kind: "signed-in", cookie };
}

/** Also creates the person's team. Null for a new address without an invite. */
async function findOrCreatePerson(deps: Deps, email: string): Promise<number | null> {
  const personId = personOfAddress(email);
  if (personId !== null) return personId;
  const [[known]] = await deps.db.run([userByEmail({ email })]);
  if (known !== undefined) return known;
  const { ids } = await runNamed(deps.db, {
    made: createPerson(deps, email),
    ids: userByEmail({ email }),
  });
  return ids[0] ?? null;
}

export async function signOut(deps: Deps, visit: Visit): Promise<void> {
  const hash = await presentedSession(deps, visit);
  if (hash !== null) await deps.db.run([endSessionByHash({ hash })]);
}
