import { AppError } from "../../core/errors.ts";
import { coversScope, type Scope } from "../../core/scopes.ts";
import type { Query, Results } from "../../db/client.ts";
import type { Actor, Ctx, Deps } from "../../deps.ts";
import type { Presented } from "../../http/env.ts";
import { knownTeam, teamOfToken, tokenQuery } from "./repo.ts";
import { isToken, resolveActor, type TokenRecord, unauthorized } from "./rules.ts";

/** @throws AppError INSUFFICIENT_SCOPE */
function requireScopes({ scopes }: Actor, ...needed: Scope[]): void {
  const lacking = needed.find((scope) => !coversScope(scopes, scope));
  if (lacking === undefined) return;
  throw new AppError("INSUFFICIENT_SCOPE", `This token lacks the scope ${lacking}.`, {
    extras: { requiredScope: lacking },
  });
}

/**
 * Creates the context of somebody holding a token. Nothing is asked of the database until the first `read`,
 * which authenticates in the same round trip; `admission` (the rate limit) runs beside it and is
 * awaited before anything is answered. Every read needs the scope of the route besides its own.
 *
 * @throws AppError UNAUTHORIZED at once for what cannot be a token
 */
export async function createCaller(
  deps: Deps,
  presented: Presented,
  admission: Promise<void>,
): Promise<Ctx> {
  const { token, tokenHash: hash } = presented;
  if (!token || !hash || !isToken(token)) {
    await admission;
    throw unauthorized();
  }
  const wanted = { hash, requestedTeamId: presented.teamId };
  let actor: Actor | null = null;
  let refusal: unknown = null;

  const ctx: Ctx = {
    ...deps,
    team: teamOfToken(wanted),
    knownActor: () => actor,
    get actor(): Actor {
      if (!actor) throw new Error("The caller is not known before the first read.");
      return actor;
    },
    async read<const Q extends readonly Query<unknown>[]>(scope: Scope, queries: Q) {
      if (actor) {
        requireScopes(actor, presented.scope, scope);
        return queries.length > 0 ? deps.db.run(queries) : ([] as unknown as Results<Q>);
      }
      // Who was refused once is not asked about again.
      if (refusal) throw refusal;
      try {
        const [[records, ...results]] = await Promise.all([
          deps.db.runAll<unknown>([tokenQuery(wanted), ...queries]),
          admission,
        ]);
        const [record = null] = records as TokenRecord[];
        actor = resolveActor(record, presented.teamId);
        ctx.team = knownTeam(actor.teamId);
        requireScopes(actor, presented.scope, scope);
        return results as Results<Q>;
      } catch (error) {
        refusal = error;
        throw error;
      }
    },
  };
  return ctx;
}
