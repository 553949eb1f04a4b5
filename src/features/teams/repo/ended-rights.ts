import { type SQL, sql } from "drizzle-orm";
import { preparedWrite, type Query } from "../../../db/client.ts";
import type { Params } from "../../../db/text.ts";
import type { Role } from "../../../deps.ts";
import type { Target } from "./members.ts";

interface Ending extends Target {
  now: Date;
}

/** Holds while the person is an active member of the team. */
const isActiveMember = (teamId: SQL, userId: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM members m
    WHERE m.team_id = ${teamId} AND m.user_id = ${userId} AND m.is_active = 1)`;

/** Holds while the person may invite and make review links. */
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

/** Open review links of a person in one team. */
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

/** Connection links of a person in one team that can still be used. */
const ownConnectionLinks = (teamId: SQL, userId: SQL, now: SQL): SQL =>
  sql`team_id = ${teamId} AND account_id IS NULL AND expires_at > ${now} AND created_by = ${userId}`;

const withdrawConnectionLinks = preparedWrite(
  ({ teamId, userId, now }: Params<Ending>) =>
    sql`DELETE FROM connection_links WHERE ${ownConnectionLinks(teamId, userId, now)}
      AND NOT ${isActiveMember(teamId, userId)}`,
);

/**
 * Ends what a member may no longer do, right behind the statement that changes or removes them: tokens pinned
 * to a team that they left, their connection links there, and invites and review links of a person who is
 * no manager any more.
 */
export const endRightsOfFormerMember = (ending: Ending): Query<number>[] => [
  revokePinnedTokens(ending),
  revokeOwnInvites(ending),
  forgetReviewedPosts(ending),
  withdrawReviewLinks(ending),
  withdrawConnectionLinks(ending),
];

/**
 * Withdraws the connection links of an admin who becomes a member, in front of the statement that changes the
 * role: members may make connection links, but the open ones were made with the rights of an admin.
 */
export const withdrawLinksOfDemoted = preparedWrite(
  ({ teamId, userId, now, role }: Params<Ending & { role: Role | null }>) =>
    sql`DELETE FROM connection_links WHERE ${ownConnectionLinks(teamId, userId, now)}
      AND ${role} = 'MEMBER' AND EXISTS (SELECT 1 FROM members m
        WHERE m.team_id = ${teamId} AND m.user_id = ${userId} AND m.role = 'ADMIN')`,
);
