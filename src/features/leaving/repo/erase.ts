import { type SQL, sql } from "drizzle-orm";
import { type Query, sqlQuery, sqlWrite } from "../../../db/client.ts";
import { CLOSED_EMAIL } from "../../../db/open-accounts.ts";
import { pickColumns, rowReader } from "../../../db/rows.ts";
import { eraseDomains } from "../../domains/repo.ts";
import { eraseEvents } from "../../events/repo.ts";
import { eraseLinks } from "../../links/repo/links.ts";
import { erasePools } from "../../pools/repo/endings.ts";
import { eraseUploads, eraseUses } from "../../posts/repo/write.ts";
import { teams } from "../../teams/table.ts";
import { eraseDeliveries, eraseWebhooks } from "../../webhooks/repo/webhooks.ts";

export interface Leaving {
  teamId: number;
  ownerId: number;
}

const isPublishing = (teamId: number): SQL =>
  sql`EXISTS (SELECT 1 FROM uploads WHERE team_id = ${teamId} AND status_group = 'pending'
    AND status = 'processing' AND deleted_at IS NULL)`;

/** SQL condition: the leaving owner created the unexpired link `l` in another team. */
const isOpenElsewhere = ({ teamId, ownerId }: Leaving, at: number): SQL =>
  sql`l.created_by = ${ownerId} AND l.expires_at > ${at} AND l.team_id IN
    (SELECT team_id FROM members WHERE user_id = ${ownerId} AND team_id <> ${teamId})`;

/**
 * Ends members, tokens and accounts, and removes the owner's personal data. Logins stay until they are revoked. While a
 * post is being published, no row changes and the first statement answers 0.
 */
export function markDeleted(leaving: Leaving, now: Date): Query<number>[] {
  const { teamId, ownerId } = leaving;
  const at = now.getTime();
  const isDeleted = sql`EXISTS (SELECT 1 FROM teams WHERE id = ${teamId} AND deleted_at IS NOT NULL)`;
  return [
    sql`UPDATE teams SET deleted_at = ${at}
      WHERE id = ${teamId} AND deleted_at IS NULL AND NOT ${isPublishing(teamId)}`,
    sql`UPDATE members SET is_active = 0 WHERE team_id = ${teamId} AND ${isDeleted}`,
    sql`UPDATE invites SET revoked_at = ${at}
      WHERE is_addressed AND email = (SELECT lower(email) FROM users WHERE id = ${ownerId})
        AND team_id IN (SELECT team_id FROM members WHERE user_id = ${ownerId})
        AND accepted_at IS NULL AND revoked_at IS NULL AND ${isDeleted}`,
    sql`DELETE FROM review_posts WHERE (team_id, upload_id, link_id) IN (
        SELECT l.team_id, item.value, l.id FROM review_links l, json_each(l.upload_ids) item
        WHERE ${isOpenElsewhere(leaving, at)}) AND ${isDeleted}`,
    sql`DELETE FROM review_links AS l WHERE ${isOpenElsewhere(leaving, at)} AND ${isDeleted}`,
    sql`DELETE FROM connection_links AS l WHERE ${isOpenElsewhere(leaving, at)}
      AND l.account_id IS NULL AND ${isDeleted}`,
    sql`UPDATE activity SET actor_name = 'deleted' WHERE actor_kind = 'person'
      AND actor_id = ${ownerId} AND ${isDeleted}
      AND team_id IN (SELECT team_id FROM members WHERE user_id = ${ownerId})`,
    sql`UPDATE feeds SET is_active = 0 WHERE team_id = ${teamId} AND ${isDeleted}`,
    sql`DELETE FROM members WHERE user_id = ${ownerId} AND team_id <> ${teamId} AND ${isDeleted}`,
    sql`UPDATE tokens SET revoked_at = ${at} WHERE revoked_at IS NULL AND ${isDeleted}
      AND id IN (SELECT g.id FROM oauth_grants g JOIN oauth_clients c ON c.id = g.client_id
        WHERE c.team_id = ${teamId})`,
    sql`DELETE FROM oauth_clients WHERE team_id = ${teamId} AND ${isDeleted}`,
    sql`UPDATE tokens SET revoked_at = ${at}
      WHERE (team_id = ${teamId} OR user_id = ${ownerId}) AND revoked_at IS NULL AND ${isDeleted}`,
    sql`UPDATE invites SET revoked_at = ${at} WHERE (team_id = ${teamId} OR invited_by = ${ownerId})
      AND accepted_at IS NULL AND revoked_at IS NULL AND ${isDeleted}`,
    sql`UPDATE accounts SET deleted_at = ${at}, status = 'revoked', renew_at = NULL,
        login_ends_at = NULL, data_access_ends_at = NULL
      WHERE team_id = ${teamId} AND deleted_at IS NULL AND ${isDeleted}`,
    sql`UPDATE pool_slots SET next_at = NULL, next_day = NULL
      WHERE pool_id IN (SELECT id FROM pools WHERE team_id = ${teamId}) AND ${isDeleted}`,
    sql`UPDATE webhooks SET deleted_at = ${at}, is_active = 0, is_notice_due = 0
      WHERE team_id = ${teamId} AND deleted_at IS NULL AND ${isDeleted}`,
    sql`UPDATE domains SET deleted_at = ${at}, check_at = ${at}
      WHERE team_id = ${teamId} AND deleted_at IS NULL AND ${isDeleted}`,
    sql`UPDATE short_links SET deleted_at = ${at}, is_active = 0
      WHERE team_id = ${teamId} AND deleted_at IS NULL AND ${isDeleted}`,
    sql`DELETE FROM sessions WHERE user_id = ${ownerId} AND ${isDeleted}`,
    sql`DELETE FROM passkeys WHERE user_id = ${ownerId} AND ${isDeleted}`,
    sql`DELETE FROM notice_targets
      WHERE (user_id = ${ownerId} OR team_id = ${teamId}) AND ${isDeleted}`,
    sql`UPDATE users SET email = ${sql.raw(CLOSED_EMAIL)}, name = NULL,
      notifications = NULL, quiet_hours = NULL WHERE id = ${ownerId} AND ${isDeleted}`,
  ].map(sqlWrite);
}

const readDeleted = rowReader(pickColumns(teams, ["id", "ownerId", "deletedAt"]));

export type DeletedTeam = ReturnType<typeof readDeleted>;

export const deletedTeam = (from: number) =>
  sqlQuery(
    sql`SELECT id, owner_id, deleted_at FROM teams INDEXED BY teams_deleted
      WHERE deleted_at IS NOT NULL AND id >= ${from} ORDER BY id LIMIT 1`,
    readDeleted,
  );

/** Tables erased by `team_id` alone, with their key columns. */
const TABLES = {
  activity: "team_id, id",
  analytics: "team_id, account_id",
  analytics_posts: "team_id, account_id",
  archive_files: "team_id, month, part",
  archive_members: "team_id, month, part, byte_offset",
  calendar_feeds: "id",
  connection_links: "id",
  consents: "id",
  credit_balances: "team_id",
  credit_ledger: "team_id, reference, kind",
  credit_packs: "id",
  credit_periods: "team_id, period",
  drafts: "id",
  feed_entries: "feed_id, key",
  feeds: "id",
  idempotency: "team_id, route, key",
  invites: "id",
  media: "team_id, sha256",
  notice_targets: "id",
  notices: "due_at, subject, user_id, target_id",
  oauth_clients: "id",
  oauth_codes: "hash",
  pool_files: "team_id, sha256, item_id",
  presigns: "id",
  rehearsals: "id",
  reports: "id",
  review_links: "id",
  review_posts: "team_id, upload_id, link_id",
  suggestions: "id",
  text_blocks: "team_id, name",
  tokens: "id",
};

export function eraseRows(team: number, max: number, now: Date): Query<number>[] {
  const erase = ([table, key]: [string, string]) =>
    sqlWrite(sql`DELETE FROM ${sql.identifier(table)} WHERE (${sql.raw(key)}) IN
      (SELECT ${sql.raw(key)} FROM ${sql.identifier(table)} WHERE team_id = ${team} LIMIT ${max})`);
  return [
    ...eraseUploads(team, max, now),
    eraseUses(team, max),
    eraseEvents(team, max),
    ...eraseWebhooks(team, max),
    ...erasePools(team, max),
    ...eraseLinks(team, max),
    eraseDomains(team, max),
    // Accounts with a login stay until it is revoked.
    sqlWrite(sql`DELETE FROM accounts WHERE id IN
      (SELECT id FROM accounts WHERE team_id = ${team} AND credentials IS NULL LIMIT ${max})`),
    ...Object.entries(TABLES).map(erase),
  ];
}

/** The owner's row stays, anonymous, while rows of other teams name it. */
export const eraseTeam = ({ teamId, ownerId }: Leaving): Query<number>[] => [
  eraseDeliveries(teamId),
  ...[
    sql`DELETE FROM members WHERE team_id = ${teamId}`,
    sql`DELETE FROM teams WHERE id = ${teamId}`,
    ...["tokens", "sessions", "passkeys", "notice_targets", "members"].map(
      (table) => sql`DELETE FROM ${sql.identifier(table)} WHERE user_id = ${ownerId}`,
    ),
    sql`DELETE FROM users WHERE id = ${ownerId}
      AND NOT EXISTS (SELECT 1 FROM suggestions WHERE user_id = ${ownerId})
      AND NOT EXISTS (SELECT 1 FROM invites WHERE invited_by = ${ownerId})
      AND NOT EXISTS (SELECT 1 FROM invites WHERE accepted_by = ${ownerId})`,
  ].map(sqlWrite),
];
