import type { SQL } from "drizzle-orm";
import { AppError } from "../../core/errors.ts";
import { coversScope, type Scope } from "../../core/scopes.ts";
import type { Db, Query, Results } from "../../db/client.ts";
import type { Actor, Ctx, Deps } from "../../deps.ts";
import { knownId } from "./repo/people.ts";

/** @throws AppError INSUFFICIENT_SCOPE */
function requireScopes({ scopes }: Actor, ...needed: (Scope | null)[]): void {
  const lacking = needed.find((scope) => scope !== null && !coversScope(scopes, scope));
  if (!lacking) return;
  throw new AppError("INSUFFICIENT_SCOPE", `This token lacks the scope ${lacking}.`, {
    extras: { requiredScope: lacking },
  });
}

const onlyReads = ({ sql }: Query<unknown>): boolean =>
  /^\s*(SELECT|WITH)\b/i.test(sql) && !/\b(INSERT|UPDATE|DELETE)\b/i.test(sql);

/** Finds the caller by a request's credentials. */
interface Claim<R> {
  query: Query<R[]>;
  /** SQL for the caller's team; NULL, which matches no row, for a refused caller. */
  team: SQL;
  /** SQL for the caller's user; NULL for a refused caller. */
  user: SQL;
  /** @throws AppError for refused credentials */
  resolve(record: R | null): Actor;
}

/**
 * Creates a context that authenticates with its first `read`, in one round trip. `admission` (the rate limit) is
 * checked in parallel, before any result is returned. Every read requires `scope` besides its own scope. Other
 * statements wait until the caller is authenticated and has all scopes given to `bindScope`.
 */
export function createContext<R>(
  deps: Deps,
  { query, team, user, resolve }: Claim<R>,
  scope: Scope | null,
  admission: Promise<void>,
): Ctx {
  const bound = new Set<Scope | null>([scope]);
  let actor: Actor | null = null;
  let refusal: unknown = null;

  const admit = async (): Promise<void> => {
    if (actor) requireScopes(actor, ...bound);
    else await ctx.read(null, []);
  };
  const db: Db = {
    run: async (queries) => {
      await admit();
      return deps.db.run(queries);
    },
    runAll: async (queries) => {
      await admit();
      return deps.db.runAll(queries);
    },
  };

  const ctx: Ctx = {
    ...deps,
    db,
    team,
    user,
    knownActor: () => actor,
    bindScope: (needed) => {
      bound.add(needed);
    },
    get actor(): Actor {
      if (!actor) throw new Error("The caller is not known before the first read.");
      return actor;
    },
    async read<const Q extends readonly Query<unknown>[]>(needed: Scope | null, queries: Q) {
      if (actor) {
        requireScopes(actor, ...bound, needed);
        return queries.length > 0 ? deps.db.run(queries) : ([] as unknown as Results<Q>);
      }
      if (refusal) throw refusal;
      if (!queries.every(onlyReads)) {
        await ctx.read(needed, []);
        return deps.db.run(queries);
      }
      try {
        const [[records, ...results]] = await Promise.all([
          deps.db.run([query, ...queries]),
          admission,
        ]);
        const [record = null] = records;
        actor = resolve(record);
        ctx.team = knownId(actor.teamId);
        ctx.user = knownId(actor.userId);
        requireScopes(actor, ...bound, needed);
        return results;
      } catch (error) {
        refusal = error;
        throw error;
      }
    },
  };
  return ctx;
}
