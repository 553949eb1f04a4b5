import { type SQL, sql } from "drizzle-orm";
import { insertIf } from "../../db/assignments.ts";
import { type Query, sqlQuery, sqlWrite } from "../../db/client.ts";
import { rowReader } from "../../db/rows.ts";
import type { Deps } from "../../deps.ts";
import { emit, emitIfChanged } from "../events/repo.ts";
import type { FirstTime } from "../idempotency/once.ts";
import { type SuggestionStatus, suggestions } from "./table.ts";

export type SuggestionRow = typeof suggestions.$inferSelect;

const readSuggestion = rowReader(suggestions);

export const suggestionsOf = (
  team: SQL,
  before: number | null,
  limit: number,
): Query<SuggestionRow[]> =>
  sqlQuery(
    sql`SELECT * FROM suggestions WHERE team_id = ${team}
      AND id < ${before ?? Number.MAX_SAFE_INTEGER} ORDER BY id DESC LIMIT ${limit}`,
    readSuggestion,
  );

/** Does nothing for a repeated call. */
export function insertSuggestion(
  deps: Pick<Deps, "newEventId" | "now">,
  row: Omit<typeof suggestions.$inferInsert, "id" | "status" | "createdAt" | "updatedAt">,
  isNew: FirstTime["isNew"],
) {
  const now = deps.now();
  const status = "open";
  const values = { ...row, status, createdAt: now, updatedAt: now } as const;
  const data = { suggestionId: sql`last_insert_rowid()`, title: row.title, status } as const;
  return [
    sqlQuery(sql`${insertIf(suggestions, values, isNew)} RETURNING *`, readSuggestion),
    emitIfChanged(deps, { team: row.teamId, name: "suggestion.created", data }),
  ] as const;
}

/** Also emits the event. An unchanged status does nothing. */
export function setSuggestionStatus(
  deps: Pick<Deps, "newEventId" | "now">,
  { id, status }: { id: number; status: SuggestionStatus },
): Query<number>[] {
  const its = (column: SQL) => sql`(SELECT ${column} FROM suggestions WHERE id = ${id})`;
  const data = {
    suggestionId: id,
    title: its(sql`title`),
    status,
    previousStatus: its(sql`status`),
  };
  const isOther = sql`EXISTS (SELECT 1 FROM suggestions WHERE id = ${id} AND status <> ${status})`;
  return [
    emit(deps, { team: its(sql`team_id`), name: "suggestion.updated", data }, isOther),
    sqlWrite(sql`UPDATE suggestions SET status = ${status}, updated_at = ${deps.now().getTime()}
      WHERE id = ${id} AND status <> ${status}`),
  ];
}
