import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { text } from "drizzle-orm/sqlite-core";
import { prepared, type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import { rowReader } from "../../db/rows.ts";
import type { Params } from "../../db/text.ts";
import type { FirstTime } from "../idempotency/once.ts";
import { isUnrevoked } from "../tokens/repo.ts";
import { MAX_REPORTS } from "./rules.ts";
import { type ReportRow, reports } from "./table.ts";

const readReport = rowReader(reports);
const readListed = rowReader({ ...getTableColumns(reports), maker: text("maker") });

export type ListedReport = ReturnType<typeof readListed>;

/** A report ends with its token, and when the person who made it leaves the team, even if they come back. */
const isOpen = (now: SQL | number): SQL =>
  sql`r.expires_at > ${now} AND ${isUnrevoked(sql`r.token_id`)} AND EXISTS (SELECT 1 FROM members m
    WHERE m.team_id = r.team_id AND m.user_id = r.created_by AND m.is_active = 1
      AND m.joined_at <= r.created_at)`;

export const reportsOfTeam = prepared(
  ({ team, now }: Params<{ team: SQL; now: Date }>) =>
    sql`SELECT r.*, (SELECT coalesce(u.name, u.email) FROM users u WHERE u.id = r.created_by) AS maker
      FROM reports r WHERE r.team_id = ${team} AND ${isOpen(now)} ORDER BY r.id DESC`,
  readListed,
);

type NewReport = Omit<ReportRow, "id">;

/** Returns no row for a repeated call, when the team has too many open reports, or the token was revoked. */
export function insertReport(report: NewReport, isNew: FirstTime["isNew"]): Query<ReportRow[]> {
  const { teamId, createdBy, tokenId, title, lastDay } = report;
  const [createdAt, expiresAt] = [report.createdAt.getTime(), report.expiresAt.getTime()];
  return sqlQuery(
    sql`INSERT INTO reports
        (team_id, created_by, token_id, created_at, expires_at, title, filter, last_day)
      SELECT ${teamId}, ${createdBy}, ${tokenId}, ${createdAt}, ${expiresAt}, ${title},
        ${JSON.stringify(report.filter)}, ${lastDay}
      WHERE ${isNew} AND ${isUnrevoked(tokenId)} AND (SELECT COUNT(*) FROM reports r
        WHERE r.team_id = ${teamId} AND ${isOpen(createdAt)}) < ${MAX_REPORTS}
      RETURNING *`,
    readReport,
  );
}

export const forgetExpired = (teamId: number, now: Date): Query<number> =>
  sqlWrite(sql`DELETE FROM reports WHERE team_id = ${teamId} AND expires_at <= ${now.getTime()}`);

export const deleteReport = (teamId: number, id: number): Query<number> =>
  sqlWrite(sql`DELETE FROM reports WHERE id = ${id} AND team_id = ${teamId}`);

const found = (id: SQL, now: SQL): SQL =>
  sql`FROM reports r CROSS JOIN teams t ON t.id = r.team_id AND t.deleted_at IS NULL
    WHERE r.id = ${id} AND ${isOpen(now)}`;

export const openReport = prepared(
  ({ id, now }: Params<{ id: number; now: Date }>) => sql`SELECT r.* ${found(id, now)}`,
  readReport,
);

/** SQL for the team's id; NULL when the report has ended. */
export const teamIdOfReport = (id: number, now: Date): SQL =>
  sql`(SELECT t.id ${found(sql`${id}`, sql`${now.getTime()}`)})`;
