import type { SQL } from "drizzle-orm";
import { AppError } from "../../core/errors.ts";
import { coversScope, type Scope } from "../../core/scopes.ts";
import type { Query, Results } from "../../db/client.ts";
import type { Actor, Ctx, Deps } from "../../deps.ts";
import { knownId } from "./repo/tokens.ts";

/** @throws AppError INSUFFICIENT_SCOPE */
function requireScopes({ scopes }: Actor, ...needed: (Scope | null)[]): void {
  const lacking = needed.find((scope) => scope !== null && !coversScope(scopes, scope));
  if (!lacking) return;
  throw new AppError("INSUFFICIENT_SCOPE", `This token lacks the scope ${lacking}.`, {
    extras: { requiredScope: lacking },
  });
}

/** Credentials that the database has not been asked about yet. */
interface Claim<R> {
  /** Finds their record. */
  query: Query<R[]>;
  /** Their team as a value inside another statement; NULL, so no row, for whoever is refused. */
  team: SQL;
  /** Their user, likewise. */
  user: SQL;
  /** @throws AppError for credentials that are refused */
  resolve(record: R | null): Actor;
}

/**
 * Creates the context of whoever makes the claim. Nothing is asked of the database until the first `read`,
 * which authenticates in the same round trip; `admission` (the rate limit) runs beside it and is
 * awaited before anything is answered. Every read needs `scope`, if any, besides its own.
 */
export function createContext<R>(
  deps: Deps,
  { query, team, user, resolve }: Claim<R>,
  scope: Scope | null,
  admission: Promise<void>,
): Ctx {
  let actor: Actor | null = null;
  let refusal: unknown = null;

  const ctx: Ctx = {
    ...deps,
    team,
    user,
    knownActor: () => actor,
    get actor(): Actor {
      if (!actor) throw new Error("The caller is not known before the first read.");
      return actor;
    },
    async read<const Q extends readonly Query<unknown>[]>(needed: Scope | null, queries: Q) {
      if (actor) {
        requireScopes(actor, scope, needed);
        return queries.length > 0 ? deps.db.run(queries) : ([] as unknown as Results<Q>);
      }
      // Who was refused once is not asked about again.
      if (refusal) throw refusal;
      try {
        const [[records, ...results]] = await Promise.all([
          deps.db.run([query, ...queries]),
          admission,
        ]);
        const [record = null] = records;
        actor = resolve(record);
        ctx.team = knownId(actor.teamId);
        ctx.user = knownId(actor.userId);
        requireScopes(actor, scope, needed);
        return results;
      } catch (error) {
        refusal = error;
        throw error;
      }
    },
  };
  return ctx;
}
