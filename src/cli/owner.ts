import { IS_OPEN } from "../db/open-accounts.ts";
import { firstOwnerStatements, SELECT_OWNER as OWNER } from "../features/claim/repo/first-owner.ts";
import { ownTeam } from "../features/teams/rules.ts";
import { sql, sqlPart } from "./sql.ts";

interface Owner {
  email: string;
  teamName: string;
  teamSlug: string;
}

export function toOwner(email: string): Owner {
  const { name, slug } = ownTeam(email);
  return { email, teamName: name, teamSlug: slug };
}

/** The query returns no row before the first account exists. */
export const SELECT_OWNER = sqlPart(OWNER);

export const HAS_ACCOUNT = sqlPart(IS_OPEN);

/** The statements insert nothing when an account exists. */
export const insertFirstOwner = (owner: Owner, at: Date): string[] =>
  firstOwnerStatements<string, string | number>(sql, sqlPart, { ...owner, at: at.getTime() });
