import { type SQL, sql } from "drizzle-orm";
import { integer } from "drizzle-orm/sqlite-core";
import { timeSortedId } from "../../core/ids.ts";
import { prepared, preparedWrite, type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import { rowReader, valueReader } from "../../db/rows.ts";
import type { Params } from "../../db/text.ts";
import type { Actor, Ctx, Deps } from "../../deps.ts";
import type { Starter } from "../auth/repo/people.ts";
import { ACTIONS, type Action, type ActorKind, type SubjectKind } from "./actions.ts";
import { activity } from "./table.ts";

type Subject = string | number | SQL | null;

export interface Doer {
  kind: ActorKind;
  id: number | null;
  name: string | SQL;
}

export const SYSTEM: Doer = { kind: "system", id: null, name: "Akimbo" };

export const clientOf = (id: number, name: string): Doer => ({ kind: "client", id, name });

export const personOf = ({ userId: id, email }: { userId: number; email: string }): Doer => ({
  kind: "person",
  id,
  name: email,
});

/** Reads the name from the database, for work that goes on after its call. */
export const starterDoer = ({ userId, tokenId }: Starter<number>): Doer =>
  tokenId === null
    ? {
        kind: "person",
        id: userId,
        name: sql`coalesce((SELECT email FROM users WHERE id = ${userId}), '')`,
      }
    : {
        kind: "token",
        id: tokenId,
        name: sql`coalesce((SELECT name FROM tokens WHERE id = ${tokenId}), '')`,
      };

export const doerOf = ({ tokenId, userId, name, isAgent }: Actor): Doer =>
  tokenId === null
    ? { kind: "person", id: userId, name }
    : { kind: isAgent ? "agent" : "token", id: tokenId, name };

interface NewLine {
  team: number | SQL;
  id: string;
  at: Date;
  kind: ActorKind;
  doerId: number | null;
  name: string | SQL;
  action: Action;
  subjectKind: SubjectKind;
  subject: Subject;
}

const insertLine = preparedWrite(
  ({ team, id, at, kind, doerId, name, action, subjectKind, subject }: Params<NewLine>) =>
    sql`INSERT OR IGNORE INTO activity
        (team_id, id, at, actor_kind, actor_id, actor_name, action, subject_kind, subject_id)
      SELECT ${team}, ${id}, ${at}, ${kind}, ${doerId}, ${name}, ${action}, ${subjectKind},
        CAST(${subject} AS TEXT)
      WHERE changes() > 0`,
);

/** The id of the row that the batch's previous statement inserted. */
export const INSERTED = sql`last_insert_rowid()`;

/** Stored if the batch's previous statement changed a row, and once where it stands several times in the batch. */
export function activityLineBy(
  { now }: Pick<Deps, "now">,
  team: number | SQL,
  { kind, id: doerId, name }: Doer,
  action: Action,
  subject: Subject,
): Query<number> {
  const at = now();
  const id = timeSortedId("act", at);
  const subjectKind = ACTIONS[action];
  return insertLine({
    team,
    id,
    at,
    kind,
    doerId,
    name,
    action,
    subjectKind,
    subject: typeof subject === "number" ? String(subject) : subject,
  });
}

/** Stored if the batch's previous statement changed a row. */
export const activityLine = (
  ctx: Pick<Ctx, "actor" | "now">,
  action: Action,
  subject: Subject,
): Query<number> => activityLineBy(ctx, ctx.actor.teamId, doerOf(ctx.actor), action, subject);

const readLine = rowReader(activity);

export type Line = ReturnType<typeof readLine>;

interface Page {
  team: SQL;
  before: string | null;
  type: SubjectKind | null;
  limit: number;
}

/** Newest first. */
export const linesBefore = prepared(
  ({ team, before, type, limit }: Params<Page>) =>
    sql`SELECT * FROM activity WHERE team_id = ${team} AND id < coalesce(${before}, 'b')
      AND subject_kind = coalesce(${type}, subject_kind) ORDER BY id DESC LIMIT ${limit}`,
  readLine,
);

interface Slice {
  from: number;
  teams: number;
  before: string;
  max: number;
}

export const teamAfter = (from: number, count: number): Query<number[]> =>
  sqlQuery(
    sql`SELECT id AS value FROM teams WHERE id >= ${from} ORDER BY id LIMIT 1 OFFSET ${count}`,
    valueReader(integer("value").notNull()),
  );

/** Lines with ids below `before` of `teams` teams, whose ids begin at `from`. */
export const removeLines = ({ from, teams, before, max }: Slice): Query<number> =>
  sqlWrite(sql`DELETE FROM activity WHERE (team_id, id) IN (
    SELECT old.team_id, old.id
      FROM (SELECT id FROM teams WHERE id >= ${from} ORDER BY id LIMIT ${teams}) team
      CROSS JOIN activity old ON old.team_id = team.id AND old.id < ${before}
      LIMIT ${max})`);
