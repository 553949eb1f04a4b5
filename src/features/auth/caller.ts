import { isAccessToken } from "../../core/access-token.ts";
import { HOUR } from "../../core/time.ts";
import type { Actor, Ctx, Deps } from "../../deps.ts";
import type { Presented } from "../../http/env.ts";
import { createContext } from "./context.ts";
import {
  grantQuery,
  noteAccessUse,
  noteTokenUse,
  pastedQuery,
  whoGranted,
  whoPasted,
} from "./repo/tokens.ts";
import {
  isToken,
  programUnauthorized,
  resolveActor,
  type TokenRecord,
  unauthorized,
} from "./rules.ts";

/** Spec is silent: noting every use would write a row per call. */
const USE_NOTED_EVERY_MS = HOUR;

/** @throws AppError UNAUTHORIZED, before any query, for text that cannot be a token */
export async function createCaller(
  deps: Deps,
  { token, tokenHash: hash, teamId, scope, country = null, isAgent = false }: Presented,
  admission: Promise<void>,
): Promise<Ctx> {
  const isGrant = token !== null && isAccessToken(token);
  if (!token || !hash || !(isGrant || isToken(token))) {
    await admission;
    throw unauthorized();
  }
  const resolve = (record: TokenRecord | null): Actor => {
    if (!record && isGrant) throw programUnauthorized();
    const actor = resolveActor(record, teamId, isAgent);
    if (record) noteUse(deps, record, { hash, from: country, isAgent });
    return actor;
  };
  const claim = { ...claimOf(deps, { hash, teamId, isAgent }, isGrant), resolve };
  return createContext(deps, claim, scope, admission);
}

type Lookup = Pick<Presented, "teamId" | "isAgent"> & { hash: string };

function claimOf(deps: Deps, { hash, teamId, isAgent }: Lookup, isGrant: boolean) {
  const lookup = { hash, requestedTeamId: teamId };
  if (!isGrant) return { query: pastedQuery(lookup), ...whoPasted(lookup) };
  const resource = isAgent ? ("mcp" as const) : ("api" as const);
  const granted = { ...lookup, resource, now: deps.now() };
  return { query: grantQuery(granted), ...whoGranted(granted) };
}

interface Use {
  hash: string;
  from: string | null;
  isAgent: boolean;
}

/** The next use repeats a lost write. */
function noteUse(
  deps: Deps,
  { tokenId: id, lastUsedAt, agentUsedAt, grant }: TokenRecord,
  { hash, from, isAgent }: Use,
): void {
  const at = deps.now();
  const noted = isAgent ? agentUsedAt : lastUsedAt;
  const isNoted = noted !== null && at.getTime() - noted.getTime() < USE_NOTED_EVERY_MS;
  const isFirstOfAccess = grant !== null && grant.accessUsedAt === null;
  if (isNoted && !isFirstOfAccess) return;
  const noting = deps.db
    .runAll([
      ...(isNoted ? [] : [noteTokenUse({ id, at, from, agentAt: isAgent ? at : null })]),
      ...(isFirstOfAccess ? [noteAccessUse({ hash, at })] : []),
    ])
    .catch((error: unknown) => {
      deps.log({ event: "token.use_not_noted", error: String(error) });
    });
  deps.defer(noting);
}
