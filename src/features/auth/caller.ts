import { HOUR } from "../../core/time.ts";
import type { Actor, Ctx, Deps } from "../../deps.ts";
import type { Presented } from "../../http/env.ts";
import { createContext } from "./context.ts";
import { noteTokenUse, teamOfToken, tokenQuery, userOfToken } from "./repo/tokens.ts";
import { isToken, resolveActor, type TokenRecord, unauthorized } from "./rules.ts";

/** Spec is silent: noting every use would write a row per call. */
const USE_NOTED_EVERY_MS = HOUR;

/** @throws AppError UNAUTHORIZED, before any query, for text that cannot be a token */
export async function createCaller(
  deps: Deps,
  { token, tokenHash: hash, teamId, scope, country = null, isAgent = false }: Presented,
  admission: Promise<void>,
): Promise<Ctx> {
  if (!token || !hash || !isToken(token)) {
    await admission;
    throw unauthorized();
  }
  const lookup = { hash, requestedTeamId: teamId };
  const resolve = (record: TokenRecord | null): Actor => {
    const actor = resolveActor(record, teamId, isAgent);
    if (record) noteUse(deps, record, { from: country, isAgent });
    return actor;
  };
  const claim = {
    query: tokenQuery(lookup),
    team: teamOfToken(lookup),
    user: userOfToken(hash),
    resolve,
  };
  return createContext(deps, claim, scope, admission);
}

/** The next use repeats a lost write. */
function noteUse(
  deps: Deps,
  { tokenId: id, lastUsedAt, agentUsedAt }: TokenRecord,
  { from, isAgent }: { from: string | null; isAgent: boolean },
): void {
  const at = deps.now();
  const noted = isAgent ? agentUsedAt : lastUsedAt;
  if (noted && at.getTime() - noted.getTime() < USE_NOTED_EVERY_MS) return;
  const use = { id, at, from, agentAt: isAgent ? at : null };
  const noting = deps.db.run([noteTokenUse(use)]).catch((error: unknown) => {
    deps.log({ event: "token.use_not_noted", error: String(error) });
  });
  deps.defer(noting);
}
