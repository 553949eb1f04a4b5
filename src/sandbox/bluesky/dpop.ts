import { now } from "../../core/clock.ts";
import { MINUTE, SECOND } from "../../core/time.ts";
import { Refusal } from "../kit/refusal.ts";
import type { Call } from "../kit/simulator.ts";
import { integer, key, Table } from "../kit/table.ts";
import { digestOf, isSignedBy, keyOf, readJwt, thumbprintOf } from "./jwt.ts";

export const usedIds = new Table("bluesky_used_ids", {
  id: key(),
  /** Milliseconds since 1970. */
  expires_at: integer(),
});

/**
 * A server changes its nonce at this interval and accepts the previous and next one too. Source:
 * oauth-provider, dpop-nonce.ts.
 */
const NONCE_MS = MINUTE;
/** Source: oauth-provider, constants.ts, `DPOP_NONCE_MAX_AGE`, and the 10 s of dpop-manager.ts. */
const PROOF_AGE_MS = 3 * MINUTE;
const CLOCK_TOLERANCE_MS = 10 * SECOND;

const nonceAt = (host: string, turn: number): Promise<string> => digestOf(`nonce ${host} ${turn}`);

const turnNow = (): number => Math.floor(now().getTime() / NONCE_MS);

export const nextNonce = (host: string): Promise<string> => nonceAt(host, turnNow() + 1);

async function isNonce(host: string, nonce: unknown): Promise<boolean> {
  const turn = turnNow();
  const valid = await Promise.all([turn - 1, turn, turn + 1].map((one) => nonceAt(host, one)));
  return valid.some((one) => one === nonce);
}

/** False for a used id. */
export function useId({ env: { store } }: Call, id: string): boolean {
  const expires_at = Date.now() + PROOF_AGE_MS + CLOCK_TOLERANCE_MS;
  usedIds.delete(store, {}, "AND expires_at < ?", Date.now());
  return usedIds.insert(store, { id, expires_at }, "OR IGNORE") > 0;
}

type ProofError = "use_dpop_nonce" | "invalid_dpop_proof";

type RefuseProof = (error: ProofError, description: string) => Refusal;

export const challengeOf = (error: string, description: string) => ({
  "www-authenticate": `DPoP algs="ES256", error="${error}", error_description="${description.replaceAll('"', '\\"')}"`,
});

export const refuseProof: RefuseProof = (error, description) => {
  const body = { error, error_description: description };
  return error === "use_dpop_nonce"
    ? new Refusal(400, body)
    : new Refusal(401, body, challengeOf(error, description));
};

/** Clients use the real clock, not the sandbox's. */
const isFresh = (iat: unknown): boolean =>
  typeof iat === "number" &&
  Math.abs(Date.now() - iat * SECOND) <= PROOF_AGE_MS + CLOCK_TOLERANCE_MS;

/**
 * The thumbprint of the proof's key; null without a proof.
 *
 * @throws Refusal for an invalid proof
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-4.3
 */
export async function readProof(
  call: Call,
  refuse: RefuseProof,
  accessToken: string | null = null,
): Promise<string | null> {
  const text = call.req.header("dpop");
  if (text === undefined) return null;
  const invalid = (description: string) => refuse("invalid_dpop_proof", description);
  const proof = readJwt(text);
  const jwk = proof && keyOf(proof);
  const { typ, alg } = proof?.header ?? {};
  const isSound = proof && jwk && typ === "dpop+jwt" && alg === "ES256";
  if (!isSound || !(await isSignedBy(proof, jwk)) || !isFresh(proof.claims.iat)) {
    throw invalid("Failed to verify DPoP proof");
  }
  const { ath, htm, htu, jti, nonce } = proof.claims;
  const { host, origin, pathname } = new URL(call.req.url);
  if (typeof jti !== "string" || jti === "") throw invalid('DPoP "jti" missing');
  if (htm !== call.req.method) throw invalid('DPoP "htm" mismatch');
  if (htu !== origin + pathname) throw invalid('DPoP "htu" mismatch');
  if (!nonce) throw refuse("use_dpop_nonce", "Authorization server requires nonce in DPoP proof");
  if (!(await isNonce(host, nonce))) throw refuse("use_dpop_nonce", 'DPoP "nonce" mismatch');
  if (accessToken !== null && ath !== (await digestOf(accessToken))) {
    throw invalid('DPoP "ath" mismatch');
  }
  if (accessToken === null && ath !== undefined) throw invalid('DPoP "ath" claim not allowed');
  if (!useId(call, `proof ${jti}`)) throw invalid("DPoP proof replayed");
  return thumbprintOf(jwk);
}
