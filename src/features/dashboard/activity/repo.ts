import { type SQL, sql } from "drizzle-orm";
import { text } from "drizzle-orm/sqlite-core";
import { prepared } from "../../../db/client.ts";
import { rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import type { ActorKind, SubjectKind } from "../../activity/actions.ts";
import { activity } from "../../activity/table.ts";

const named = (kind: SubjectKind, table: string, name: string, isGone: string): SQL =>
  sql.raw(`WHEN '${kind}' THEN (SELECT iif(${isGone}, '-', '+') || ${name} FROM ${table} s
    WHERE s.id = a.subject_id AND s.team_id = a.team_id)`);

/** An account's name has its platform before it, with a space between. */
const ACCOUNT = "platform || ' ' || account_name";

/** A sign that tells whether the subject is still there, and its name; NULL for subjects without a name. */
const SUBJECT = sql`CASE a.subject_kind
  ${named("upload", "uploads", "platform", "deleted_at IS NOT NULL")}
  ${named("account", "accounts", ACCOUNT, "deleted_at IS NOT NULL")}
  ${named("pool", "pools", "name", "deleted_at IS NOT NULL")}
  ${named("webhook", "webhooks", "url", "deleted_at IS NOT NULL")}
  ${named("app", "oauth_clients", "name", "FALSE")}
  ${named("domain", "domains", "host", "deleted_at IS NOT NULL")}
  ${named("short_link", "short_links", "'/' || slug", "deleted_at IS NOT NULL")}
  WHEN 'file' THEN (SELECT '+' || coalesce(name, '') FROM media s
    WHERE s.team_id = a.team_id AND s.sha256 = a.subject_id)
  WHEN 'member' THEN (SELECT '+' || email FROM users s WHERE s.id = a.subject_id)
  WHEN 'token' THEN (SELECT iif(revoked_at IS NULL, '+', '-') || name FROM tokens s
    WHERE s.id = a.subject_id)
  END`;

const readLine = rowReader(activity);
const readSubject = rowReader({ subject: text("subject") });

interface Subject {
  name: string | null;
  isThere: boolean;
}

interface Page {
  team: SQL;
  /** Ids between which the lines stand; null for no bound. */
  before: string | null;
  since: string | null;
  type: SubjectKind | null;
  by: ActorKind | null;
  limit: number;
}

const linesOf = (order: "ASC" | "DESC") =>
  prepared(
    ({ team, before, since, type, by, limit }: Params<Page>) =>
      sql`SELECT a.*, ${SUBJECT} AS subject FROM activity a
        WHERE a.team_id = ${team} AND a.id < coalesce(${before}, 'b') AND a.id > coalesce(${since}, '')
          AND a.subject_kind = coalesce(${type}, a.subject_kind)
          AND a.actor_kind = coalesce(${by}, a.actor_kind)
        ORDER BY a.id ${sql.raw(order)} LIMIT ${limit}`,
    (row) => {
      const { subject } = readSubject(row);
      const shown: Subject = {
        name: subject?.slice(1) || null,
        isThere: subject?.startsWith("+") ?? false,
      };
      return { ...readLine(row), subject: shown };
    },
  );

export const linesBefore = linesOf("DESC");
export const linesSince = linesOf("ASC");

export type ShownLine = ReturnType<ReturnType<typeof linesBefore>["read"]>[number];
