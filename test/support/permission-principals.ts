import { env } from "cloudflare:workers";
import { coversScope, SCOPES, type Scope } from "../../src/core/scopes.ts";
import type { Role } from "../../src/deps.ts";
import { createMember, createToken, START } from "./harness.ts";
import type { Holder, PlantedTeam } from "./permission-team.ts";

/** The reason why a caller is refused, or the role in which they come in. */
export type Standing = "unknown" | "outsider" | "lacking" | "stranger" | "elsewhere" | Role;

/** Somebody who calls, by a token that may depend on the scope of the operation. */
export interface Principal {
  name: string;
  standing: Standing;
  enter(scope: Scope): Holder;
}

const LEVELS: Role[] = ["MEMBER", "ADMIN", "OWNER"];

export const isRole = (standing: Standing): standing is Role => LEVELS.includes(standing as Role);

export const isAtLeast = (role: Role, least: Role): boolean =>
  LEVELS.indexOf(role) >= LEVELS.indexOf(least);

export async function switchOff({ userId }: Holder, { teamId }: PlantedTeam): Promise<void> {
  await env.DB.prepare("UPDATE members SET is_active = 0 WHERE user_id = ? AND team_id = ?")
    .bind(userId, teamId)
    .run();
}

async function createRevoked({ userId }: Holder): Promise<string> {
  const token = await createToken(userId);
  await env.DB.prepare("UPDATE tokens SET revoked_at = ? WHERE id = (SELECT max(id) FROM tokens)")
    .bind(START.getTime())
    .run();
  return token;
}

/** A token of the user's for each scope. */
async function tokensByScope(
  { userId }: Holder,
  scopes: Scope[],
  choose: (scope: Scope) => Scope[],
): Promise<Map<Scope, string>> {
  const made = scopes.map(async (scope) => {
    const token = await createToken(userId, { scopes: choose(scope) });
    return [scope, token] as const;
  });
  return new Map(await Promise.all(made));
}

/** Creates everybody who calls operations on what is the home team's; `scopes` are those needed. */
export async function createPrincipals(
  home: PlantedTeam,
  other: PlantedTeam,
  scopes: Scope[],
): Promise<Principal[]> {
  const { owner, teamId } = home;
  const named = { "x-team-id": String(teamId) };
  const exact = await tokensByScope(owner, scopes, (scope) => [scope]);
  const rest = await tokensByScope(owner, scopes, (scope) =>
    SCOPES.filter((one) => !coversScope([one], scope)),
  );
  const pinned = await home.pinnedOwner();

  const inactive = await home.join("ADMIN");
  const inactivePinned = await createToken(inactive.userId, { teamId });
  await switchOff(inactive, home);
  const left = await createMember();
  const leftPinned = await createToken(left.userId, { teamId });
  const visitor = await home.join("ADMIN", { isNamed: false });
  const strangerPinned = await other.pinnedOwner();

  const withToken = (name: string, standing: Standing, holder: Holder): Principal => ({
    name,
    standing,
    enter: () => holder,
  });
  const nobody = { userId: 0, headers: named };
  return [
    withToken("without a token", "unknown", { ...nobody, token: "" }),
    withToken("malformed token", "unknown", { ...nobody, token: "kmb_abc" }),
    withToken("token of another prefix", "unknown", { ...nobody, token: `kmc_${"a".repeat(64)}` }),
    withToken("token with a letter more", "unknown", { ...nobody, token: `${owner.token}a` }),
    withToken("unknown token", "unknown", { ...nobody, token: `kmb_${"a".repeat(64)}` }),
    withToken("revoked token", "unknown", { ...owner, token: await createRevoked(owner) }),
    {
      name: "OWNER, every scope but those needed",
      standing: "lacking",
      enter: (scope) => ({ ...owner, token: rest.get(scope) ?? "" }),
    },
    withToken("another team's OWNER", "stranger", other.owner),
    withToken("another team's OWNER, pinned there", "stranger", strangerPinned),
    withToken("another team's OWNER who names this team", "outsider", {
      ...other.owner,
      headers: named,
    }),
    withToken("another team's OWNER, pinned there, who names this team", "outsider", {
      ...strangerPinned,
      headers: named,
    }),
    withToken("OWNER, pinned, who names another team", "outsider", {
      ...pinned,
      headers: { "x-team-id": String(other.teamId) },
    }),
    withToken("ADMIN who acts for a team of their own", "elsewhere", { ...visitor, headers: {} }),
    withToken("switched off, names the team", "outsider", inactive),
    withToken("switched off, pinned", "unknown", { ...inactive, token: inactivePinned }),
    withToken("left, names the team", "outsider", { ...left, headers: named }),
    withToken("left, pinned", "unknown", { ...left, token: leftPinned, headers: {} }),
    withToken("MEMBER", "MEMBER", await home.join("MEMBER")),
    withToken("ADMIN", "ADMIN", await home.join("ADMIN")),
    withToken("OWNER", "OWNER", owner),
    withToken("OWNER, pinned", "OWNER", pinned),
    {
      name: "OWNER, the scope needed alone",
      standing: "OWNER",
      enter: (scope) => ({ ...owner, token: exact.get(scope) ?? "" }),
    },
  ];
}
