import { type SQL, sql } from "drizzle-orm";
import { preparedWrite, type Query } from "../../../db/client.ts";
import type { Params } from "../../../db/text.ts";
import type { Role } from "../../../deps.ts";
import type { Target } from "./members.ts";

interface Ending extends Target {
  now: Date;
}

const isActiveMember = (teamId: SQL, userId: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM members m
    WHERE m.team_id = ${teamId} AND m.user_id = ${userId} AND m.is_active = 1)`;

const isManager = (teamId: SQL, userId: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM members m WHERE m.team_id = ${teamId} AND m.user_id = ${userId}
    AND m.is_active = 1 AND m.role IN ('OWNER', 'ADMIN'))`;

const revokePinnedTokens = preparedWrite(
  ({ teamId, userId, now }: Params<Ending>) =>
    sql`UPDATE tokens SET revoked_at = ${now}
      WHERE team_id = ${teamId} AND user_id = ${userId} AND revoked_at IS NULL
        AND NOT ${isActiveMember(teamId, userId)}`,
);

const revokeOwnInvites = preparedWrite(
  ({ teamId, userId, now }: Params<Ending>) =>
    sql`UPDATE invites SET revoked_at = ${now}
      WHERE team_id = ${teamId} AND invited_by = ${userId}
        AND accepted_at IS NULL AND revoked_at IS NULL AND NOT ${isManager(teamId, userId)}`,
);

const ownReviewLinks = (teamId: SQL, userId: SQL, now: SQL): SQL =>
  sql`team_id = ${teamId} AND expires_at > ${now} AND created_by = ${userId}`;

const forgetReviewedPosts = preparedWrite(
  ({ teamId, userId, now }: Params<Ending>) =>
    sql`DELETE FROM review_posts WHERE (team_id, upload_id, link_id) IN (
        SELECT l.team_id, item.value, l.id FROM review_links l, json_each(l.upload_ids) item
        WHERE l.id IN (SELECT id FROM review_links WHERE ${ownReviewLinks(teamId, userId, now)}))
      AND NOT ${isManager(teamId, userId)}`,
);

const withdrawReviewLinks = preparedWrite(
  ({ teamId, userId, now }: Params<Ending>) =>
    sql`DELETE FROM review_links WHERE ${ownReviewLinks(teamId, userId, now)}
      AND NOT ${isManager(teamId, userId)}`,
);

const ownConnectionLinks = (teamId: SQL, userId: SQL, now: SQL): SQL =>
  sql`team_id = ${teamId} AND account_id IS NULL AND expires_at > ${now} AND created_by = ${userId}`;

const withdrawConnectionLinks = preparedWrite(
  ({ teamId, userId, now }: Params<Ending>) =>
    sql`DELETE FROM connection_links WHERE ${ownConnectionLinks(teamId, userId, now)}
      AND NOT ${isActiveMember(teamId, userId)}`,
);

/**
 * Ends a former member's pinned tokens and connection links, and a former manager's invites and review links. Follows
 * the change of membership.
 */
export const endRightsOfFormerMember = (ending: Ending): Query<number>[] => [
  revokePinnedTokens(ending),
  revokeOwnInvites(ending),
  forgetReviewedPosts(ending),
  withdrawReviewLinks(ending),
  withdrawConnectionLinks(ending),
];

/** Open connection links of a demoted admin have an admin's rights. Precedes the change of role. */
export const withdrawLinksOfDemoted = preparedWrite(
  ({ teamId, userId, now, role }: Params<Ending & { role: Role | null }>) =>
    sql`DELETE FROM connection_links WHERE ${ownConnectionLinks(teamId, userId, now)}
      AND ${role} = 'MEMBER' AND EXISTS (SELECT 1 FROM members m
        WHERE m.team_id = ${teamId} AND m.user_id = ${userId} AND m.role = 'ADMIN')`,
);
