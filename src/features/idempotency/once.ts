import { type SQL, sql } from "drizzle-orm";
import { AppError } from "../../core/errors.ts";
import type { Scope } from "../../core/scopes.ts";
import type { Query, Results } from "../../db/client.ts";
import type { Ctx } from "../../deps.ts";
import { isNewCall, keepAnswer, type NamedCall, type StoredAnswer, storedAnswer } from "./repo.ts";

/** What was read before a call is done. */
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
  const earlier = call ? [storedAnswer(ctx.team, call, ctx.now())] : [];
  const results: unknown[] = [...(await ctx.read(scope, [...queries, ...earlier]))];
  const [stored = null] = (call ? results.pop() : []) as StoredAnswer[];
  return { known: results as Results<Q>, stored };
}

/** What the batch of a call needs to take effect only once. */
export interface FirstTime {
  /** A condition of the batch's first statement: nobody has answered the call yet. */
  isNew: SQL;
  /**
   * Keeps the answer, in the same batch, right behind the statement that it tells of: it acts only if
   * that one changed a row. `firstUploadId` may be a SQL value.
   */
  keep(answer: unknown, firstUploadId?: SQL | number | null): Query<number>[];
}

const firstTimeOf = (ctx: Ctx, call: NamedCall | null, fingerprint: string): FirstTime => {
  if (!call) return { isNew: sql`TRUE`, keep: () => [] };
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
  /** Reads what `make` needs, with `look`. `losses`: how often somebody else was faster. */
  look(losses: number): Promise<Looked<K>>;
  /** Does what the call asks for, in one batch guarded by `first`; null when somebody was faster. */
  make(known: K, first: FirstTime): Promise<R | null>;
  /** Turns the answer that was kept into the result; left out where it is the result. */
  replay?(stored: StoredAnswer): R | Promise<R>;
}

export interface Done<R> {
  result: R;
  /** The result of an earlier call of the same name. */
  isReplayed: boolean;
}

/** A caller who loses this often in a row is told to come again. */
const MAX_TRIES = 5;

/**
 * Does what a call asks for, and for calls of the same name only once: a repetition is given the first
 * answer. Whoever loses a race looks again, finds the answer of the winner, or tries once more. A call
 * without a name is done each time.
 *
 * @param fingerprint the same for calls that ask for the same
 * @throws AppError IDEMPOTENCY_MISMATCH when the name was used for something else, QUEUE_BUSY after
 * five lost races, and what the steps throw
 */
export async function once<K, R>(
  ctx: Ctx,
  call: NamedCall | null,
  fingerprint: string,
  { look, make, replay = ({ answer }) => answer as R }: Steps<K, R>,
): Promise<Done<R>> {
  for (let losses = 0; losses < MAX_TRIES; losses++) {
    const { known, stored } = await look(losses);
    if (stored) {
      requireSame(stored, fingerprint);
      return { result: await replay(stored), isReplayed: true };
    }
    const result = await make(known, firstTimeOf(ctx, call, fingerprint));
    if (result !== null) return { result, isReplayed: false };
  }
  const message = "Others took the same places at the same moment. Send the call again.";
  throw new AppError("QUEUE_BUSY", message);
}

function requireSame(stored: StoredAnswer, fingerprint: string): void {
  if (stored.fingerprint === fingerprint) return;
  const message = "This Idempotency-Key was used with another body. Use a new key for a new call.";
  throw new AppError("IDEMPOTENCY_MISMATCH", message);
}
