import "./reflect.ts";
import {
  type AuthenticationResponseJSON,
  type AuthenticatorTransportFuture,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { randomHex } from "../../core/ids.ts";
import { addSeconds, DAY, MINUTE, SECOND } from "../../core/time.ts";
import { runNamed } from "../../db/named.ts";
import type { Deps } from "../../deps.ts";
import { forgetSessionCookie, signedCookie, signedCookieValue } from "../auth/cookie.ts";
import {
  credentialsOfSession,
  insertPasskey,
  passkeyByCredential,
  updateCounter,
} from "./repo/passkeys.ts";
import { personOfSession } from "./repo/sessions.ts";
import { type Challenge, insertChallenge, takeVerification } from "./repo/verifications.ts";
import { passkeyRefusal } from "./rules.ts";
import { presentedSession, startSession, type Visit } from "./session.ts";

const CHALLENGE_SECONDS = (5 * MINUTE) / SECOND;

/** Part of the cookie's name. Another name would end challenges that are open during an upgrade. */
const CHALLENGE_COOKIE = "better-auth-passkey";

/** Time after a sign-in in which a passkey may be added. */
const FRESH_MS = DAY;

/** Characters of a reason in the log, which may quote what the caller sent. */
const MAX_REASON = 300;

/** The library checks all but the id. */
export interface PasskeyResponse {
  id: string;
  [part: string]: unknown;
}

export interface PasskeyAnswer {
  status: number;
  cookies: string[];
  body: object;
}

const accept = (cookies: string[], body: object = { success: true }): PasskeyAnswer => ({
  status: 200,
  cookies,
  body,
});

const refuse = (status: number, code: string, cookies: string[] = []): PasskeyAnswer => ({
  status,
  cookies,
  body: { success: false, error: passkeyRefusal(code), code },
});

const hostOf = ({ origin }: Visit): string => new URL(origin).hostname;

/** `cookies` ends an outdated session cookie. */
async function findPerson(deps: Deps, visit: Visit) {
  const hash = await presentedSession(deps, visit);
  if (hash === null) return { person: undefined, credentials: [], cookies: [] };
  const lookup = { hash, now: deps.now() };
  const { people, credentials } = await runNamed(deps.db, {
    people: personOfSession(lookup),
    credentials: credentialsOfSession(lookup),
  });
  return {
    person: people[0],
    credentials: credentials.map(({ credentialId, transports }) => ({
      id: credentialId,
      transports: transports?.split(",") as AuthenticatorTransportFuture[] | undefined,
    })),
    cookies: people[0] ? [] : [forgetSessionCookie(visit.origin)],
  };
}

async function findFreshPerson(deps: Deps, visit: Visit) {
  const { person, credentials, cookies } = await findPerson(deps, visit);
  if (!person) return { refusal: refuse(401, "UNAUTHORIZED", cookies) };
  const isFresh = deps.now().getTime() - person.signedInAt.getTime() < FRESH_MS;
  return isFresh ? { person, credentials } : { refusal: refuse(403, "SESSION_NOT_FRESH") };
}

const challengePlace = ({ config }: Deps, { origin }: Visit) => ({
  name: CHALLENGE_COOKIE,
  origin,
  signingKey: config.signingKey,
});

/** Returns the cookie that binds the challenge to the browser. */
async function keepChallenge(deps: Deps, visit: Visit, challenge: Challenge): Promise<string> {
  const identifier = randomHex(16);
  const at = deps.now();
  const value = JSON.stringify(challenge);
  const expiresAt = addSeconds(at, CHALLENGE_SECONDS);
  await deps.db.run([insertChallenge({ identifier, value, at, expiresAt })]);
  return signedCookie(identifier, challengePlace(deps, visit), CHALLENGE_SECONDS);
}

/** Of concurrent calls, only one gets the browser's challenge. */
async function takeChallenge(
  deps: Deps,
  visit: Visit,
  type: Challenge["type"],
): Promise<Challenge | null> {
  const cookies = visit.headers.get("cookie");
  const identifier = await signedCookieValue(cookies, challengePlace(deps, visit));
  if (identifier === null) return null;
  const [[taken]] = await deps.db.run([takeVerification({ identifier, now: deps.now() })]);
  return taken && taken.type !== "magic-link" && taken.type === type ? taken : null;
}

async function verified<T>({ log }: Deps, verify: () => Promise<T>): Promise<T | null> {
  try {
    return await verify();
  } catch (error) {
    log({ event: "sign_in.passkey_refused", reason: String(error).slice(0, MAX_REASON) });
    return null;
  }
}

/** The person must have signed in within the last day. */
export async function startPasskey(deps: Deps, visit: Visit): Promise<PasskeyAnswer> {
  const { refusal, person, credentials } = await findFreshPerson(deps, visit);
  if (refusal) return refusal;
  const options = await generateRegistrationOptions({
    rpName: "Akimbo",
    rpID: hostOf(visit),
    userName: person.email,
    userDisplayName: person.email,
    attestationType: "none",
    excludeCredentials: credentials,
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  const cookie = await keepChallenge(deps, visit, {
    type: "registration",
    expectedChallenge: options.challenge,
    userData: { id: String(person.id) },
  });
  return accept([cookie], options);
}

export async function addPasskey(
  deps: Deps,
  visit: Visit,
  input: { response: PasskeyResponse; name: string },
): Promise<PasskeyAnswer> {
  const { refusal, person } = await findFreshPerson(deps, visit);
  if (refusal) return refusal;
  const challenge = await takeChallenge(deps, visit, "registration");
  if (!challenge) return refuse(400, "CHALLENGE_NOT_FOUND");
  if (challenge.userData.id !== String(person.id)) {
    return refuse(401, "YOU_ARE_NOT_ALLOWED_TO_REGISTER_THIS_PASSKEY");
  }
  const response = input.response as unknown as RegistrationResponseJSON;
  const key = await verified(deps, async () => {
    const { registrationInfo: info } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge.expectedChallenge,
      expectedOrigin: visit.origin,
      expectedRPID: hostOf(visit),
      // Checked below, for a separate answer.
      requireUserVerification: false,
    });
    return info && { info, transports: info.credential.transports?.join(",") ?? "" };
  });
  if (!key) return refuse(400, "FAILED_TO_VERIFY_REGISTRATION");
  const { info, transports } = key;
  if (!info.userVerified) return refuse(400, "USER_NOT_VERIFIED");
  const [added] = await deps.db.run([
    insertPasskey({
      userId: person.id,
      name: input.name,
      credentialId: info.credential.id,
      publicKey: info.credential.publicKey.toBase64(),
      counter: info.credential.counter,
      deviceType: info.credentialDeviceType,
      backedUp: info.credentialBackedUp,
      transports,
      aaguid: info.aaguid,
      createdAt: deps.now(),
    }),
  ]);
  return added === 0 ? refuse(400, "FAILED_TO_VERIFY_REGISTRATION") : accept([]);
}

export async function startPasskeySignIn(deps: Deps, visit: Visit): Promise<PasskeyAnswer> {
  const { credentials, cookies } = await findPerson(deps, visit);
  const options = await generateAuthenticationOptions({
    rpID: hostOf(visit),
    userVerification: "required",
    ...(credentials.length > 0 && { allowCredentials: credentials }),
  });
  const cookie = await keepChallenge(deps, visit, {
    type: "authentication",
    expectedChallenge: options.challenge,
    userData: { id: "" },
  });
  return accept([...cookies, cookie], options);
}

export async function signInByPasskey(
  deps: Deps,
  visit: Visit,
  input: { response: PasskeyResponse },
): Promise<PasskeyAnswer> {
  const challenge = await takeChallenge(deps, visit, "authentication");
  if (!challenge) return refuse(400, "CHALLENGE_NOT_FOUND");
  const response = input.response as unknown as AuthenticationResponseJSON;
  const [[passkey]] = await deps.db.run([passkeyByCredential({ credentialId: response.id })]);
  if (!passkey) return refuse(401, "PASSKEY_NOT_FOUND");
  const answer = await verified(deps, () =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge.expectedChallenge,
      expectedOrigin: visit.origin,
      expectedRPID: hostOf(visit),
      credential: {
        id: passkey.credentialId,
        publicKey: Uint8Array.fromBase64(passkey.publicKey),
        counter: passkey.counter,
      },
      // Checked below, for a separate answer.
      requireUserVerification: false,
    }),
  );
  if (!answer) return refuse(400, "AUTHENTICATION_FAILED");
  if (!answer.verified) return refuse(401, "AUTHENTICATION_FAILED");
  const { userVerified, newCounter: counter } = answer.authenticationInfo;
  if (!userVerified) return refuse(400, "USER_NOT_VERIFIED");
  const { id, userId } = passkey;
  const changes = [updateCounter({ id, counter })];
  const cookie = await startSession(deps, visit, { userId, method: "passkey", changes });
  return cookie === null ? refuse(400, "UNABLE_TO_CREATE_SESSION") : accept([cookie]);
}
