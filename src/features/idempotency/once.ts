import type { SQL } from "drizzle-orm";
import { AppError } from "../../core/errors.ts";
import type { NamedCall } from "../../core/idempotency-key.ts";
import type { Scope } from "../../core/scopes.ts";
import { sha256Hex } from "../../core/signature.ts";
import type { Query, Results } from "../../db/client.ts";
import type { Ctx } from "../../deps.ts";
import { ALWAYS_NEW, isNewCall, keepAnswer, type StoredAnswer, storedAnswer } from "./repo.ts";

export interface Looked<K> {
  findings: K;
  /** The answer to an earlier call with the same key. */
  stored: StoredAnswer | null;
}

export async function look<const Q extends readonly Query<unknown>[]>(
  ctx: Ctx,
  scope: Scope,
  call: NamedCall | null,
  queries: Q,
): Promise<Looked<Results<Q>>> {
  if (!call) return { findings: await ctx.read(scope, queries), stored: null };
  const earlier = storedAnswer(ctx.team, call, ctx.now());
  const [[stored = null], ...findings] = await ctx.read(scope, [earlier, ...queries]);
  return { findings, stored };
}

export interface Call extends NamedCall {
  /** Ends the batch of the call; must act only if the previous statement of the batch changed a row. */
  last?: Query<number> | null;
}

/** SQL by which a batch takes effect only once. */
export interface FirstTime {
  /** SQL condition for the first statement of the batch: no answer is stored yet. */
  isNew: SQL;
  /** Acts if the previous statement of the batch changed a row. */
  keep(answer: unknown, firstUploadId?: SQL | number | null): Query<number>[];
}

const firstTimeOf = (ctx: Ctx, call: Call | null, fingerprint: string): FirstTime => {
  if (!call) return { isNew: ALWAYS_NEW, keep: () => [] };
  const { teamId } = ctx.actor;
  const now = ctx.now();
  return {
    isNew: isNewCall(teamId, call, now),
    keep: (answer, firstUploadId = null) => [
      keepAnswer(teamId, call, { fingerprint, answer, firstUploadId }, now),
      ...(call.last ? [call.last] : []),
    ],
  };
};

export interface Steps<K, R> {
  /** `losses` counts how often another call was faster. */
  look(losses: number): Promise<Looked<K>>;
  /** Null when another call was faster. */
  make(findings: K, first: FirstTime): Promise<R | null>;
  /** If absent, the stored answer is the result. */
  replay?(stored: StoredAnswer): R | Promise<R>;
}

export interface Done<R> {
  result: R;
  isReplayed: boolean;
}

const MAX_TRIES = 5;

/**
 * Carries out a call once per idempotency key; a repetition gets the first answer. A call without a key is always
 * carried out. Tries again when another call was faster.
 *
 * @param bodyOf a canonical form of the body; its JSON is stored and must stay stable across releases
 * @throws AppError IDEMPOTENCY_MISMATCH when the key was used for another body; after five lost races
 * IDEMPOTENCY_IN_PROGRESS, or QUEUE_BUSY without a key; and what the steps throw
 */
export async function once<K, R>(
  ctx: Ctx,
  call: Call | null,
  bodyOf: () => unknown,
  { look, make, replay = ({ answer }) => answer as R }: Steps<K, R>,
): Promise<Done<R>> {
  const fingerprint = call ? await sha256Hex(JSON.stringify(bodyOf())) : "";
  for (let losses = 0; losses < MAX_TRIES; losses++) {
    const { findings, stored } = await look(losses);
    if (stored) {
      requireSame(stored, fingerprint);
      return { result: await replay(stored), isReplayed: true };
    }
    const result = await make(findings, firstTimeOf(ctx, call, fingerprint));
    if (result !== null) return { result, isReplayed: false };
  }
  throw tooSlow(call);
}

function tooSlow(call: NamedCall | null): AppError {
  const why = "Other calls were faster and changed what this one needs.";
  const soon = { headers: { "Retry-After": "1" } };
  return call
    ? new AppError("IDEMPOTENCY_IN_PROGRESS", `${why} Send it again with the same key.`, soon)
    : new AppError("QUEUE_BUSY", `${why} Send the call again.`, soon);
}

function requireSame(stored: StoredAnswer, fingerprint: string): void {
  if (stored.fingerprint === fingerprint) return;
  const message = "This Idempotency-Key was used with another body. Use a new key for a new call.";
  throw new AppError("IDEMPOTENCY_MISMATCH", message);
}
