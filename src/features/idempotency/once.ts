import type { SQL } from "drizzle-orm";
import { AppError } from "../../core/errors.ts";
import type { NamedCall } from "../../core/idempotency-key.ts";
import type { Scope } from "../../core/scopes.ts";
import { sha256Hex } from "../../core/signature.ts";
import type { Query, Results } from "../../db/client.ts";
import type { Ctx } from "../../deps.ts";
import { ALWAYS_NEW, isNewCall, keepAnswer, type StoredAnswer, storedAnswer } from "./repo.ts";

/** Facts that were read before a call is carried out. */
export interface Looked<K> {
  known: K;
  /** The answer to an earlier call of the same name; null for a new call. */
  stored: StoredAnswer | null;
}

/** Reads `queries` and the answer to an earlier call of the same name in one round trip. */
export async function look<const Q extends readonly Query<unknown>[]>(
  ctx: Ctx,
  scope: Scope,
  call: NamedCall | null,
  queries: Q,
): Promise<Looked<Results<Q>>> {
  if (!call) return { known: await ctx.read(scope, queries), stored: null };
  const earlier = storedAnswer(ctx.team, call, ctx.now());
  const [[stored = null], ...known] = await ctx.read(scope, [earlier, ...queries]);
  return { known, stored };
}

/** Parts of the batch that make a call take effect only once. */
export interface FirstTime {
  /** A condition of the batch's first statement: nobody has answered the call yet. */
  isNew: SQL;
  /**
   * Keeps the answer, in the same batch, right behind the statement that it answers for: it acts only if
   * that one changed a row. `firstUploadId` may be a SQL value.
   */
  keep(answer: unknown, firstUploadId?: SQL | number | null): Query<number>[];
}

const firstTimeOf = (ctx: Ctx, call: NamedCall | null, fingerprint: string): FirstTime => {
  if (!call) return { isNew: ALWAYS_NEW, keep: () => [] };
  const { teamId } = ctx.actor;
  const now = ctx.now();
  return {
    isNew: isNewCall(teamId, call, now),
    keep: (answer, firstUploadId = null) => [
      keepAnswer(teamId, call, { fingerprint, answer, firstUploadId }, now),
    ],
  };
};

export interface Steps<K, R> {
  /** Reads the facts for `make`, by way of `look`. `losses`: number of races lost before. */
  look(losses: number): Promise<Looked<K>>;
  /** Carries the call out in one batch guarded by `first`; null when somebody was faster. */
  make(known: K, first: FirstTime): Promise<R | null>;
  /** Turns the stored answer into the result; left out when it is the result. */
  replay?(stored: StoredAnswer): R | Promise<R>;
}

export interface Done<R> {
  result: R;
  /** The result of an earlier call of the same name. */
  isReplayed: boolean;
}

/** A caller who loses this often in a row is asked to come again. */
const MAX_TRIES = 5;

/**
 * Carries out a call, and calls of the same name only once: a repetition is given the first answer. The
 * loser of a race looks again and either finds the winner's answer or tries once more. A call without a
 * name is carried out each time.
 *
 * @param bodyOf returns the body in one form, equal for calls that want the same; asked for only of calls
 * with a name. Answers are kept across releases by its JSON.
 * @throws AppError IDEMPOTENCY_MISMATCH when the name was used for something else; after five lost races
 * IDEMPOTENCY_IN_PROGRESS for a call with a name, and QUEUE_BUSY for one without; what the steps throw
 */
export async function once<K, R>(
  ctx: Ctx,
  call: NamedCall | null,
  bodyOf: () => unknown,
  { look, make, replay = ({ answer }) => answer as R }: Steps<K, R>,
): Promise<Done<R>> {
  const fingerprint = call ? await sha256Hex(JSON.stringify(bodyOf())) : "";
  for (let losses = 0; losses < MAX_TRIES; losses++) {
    const { known, stored } = await look(losses);
    if (stored) {
      requireSame(stored, fingerprint);
      return { result: await replay(stored), isReplayed: true };
    }
    const result = await make(known, firstTimeOf(ctx, call, fingerprint));
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
