import { type SQL, sql } from "drizzle-orm";

/** The person who began what ends later, and the team that it is for. */
export interface Starter<T> {
  teamId: T;
  userId: T;
  /** Null for a person who was signed in. */
  tokenId: T | null;
}

/**
 * Holds while the starter may still act for the team: they are an active member, and their token was not revoked.
 * A condition of the statement that ends what they began.
 */
export const stillMay = ({ teamId, userId, tokenId }: Starter<SQL | number>): SQL =>
  sql`(EXISTS (SELECT 1 FROM members m
      WHERE m.team_id = ${teamId} AND m.user_id = ${userId} AND m.is_active = 1)
    AND (${tokenId} IS NULL
      OR EXISTS (SELECT 1 FROM tokens k WHERE k.id = ${tokenId} AND k.revoked_at IS NULL)))`;
