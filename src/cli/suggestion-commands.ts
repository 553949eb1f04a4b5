import { timeSortedId } from "../core/ids.ts";
import { setSuggestionStatus } from "../features/suggestions/repo.ts";
import { SUGGESTION_STATUSES, type SuggestionStatus } from "../features/suggestions/table.ts";
import { execute, type Place } from "./d1.ts";
import { Problem } from "./program.ts";
import { sql } from "./sql.ts";
import { formatTable } from "./table.ts";
import { executeQueries } from "./team-database.ts";

const LISTED = 200;

/** A terminal could execute control characters in a suggestion. */
const CONTROLS = /\p{Cc}+/gu;

/** @throws Problem that lists the statuses */
export function parseStatus(text: string): SuggestionStatus {
  const status = SUGGESTION_STATUSES.find((name) => name === text);
  if (status) return status;
  throw new Problem(`There is no status ${text}. Choose one of ${SUGGESTION_STATUSES.join(", ")}.`);
}

export async function describeSuggestions(place: Place): Promise<string> {
  const [rows = []] = await execute(place, [
    sql`SELECT s.id, s.status, t.slug, s.title, s.body FROM suggestions s
      JOIN teams t ON t.id = s.team_id ORDER BY s.id DESC LIMIT ${LISTED}`,
  ]);
  if (rows.length === 0) return "There are no suggestions yet.";
  const cells = rows.map(({ id, status, slug, title, body }) =>
    [id, status, slug, title, body].map((cell) => String(cell).replaceAll(CONTROLS, " ")),
  );
  return formatTable(["id", "status", "team", "title", "text"], cells);
}

/** @throws Problem for an unknown suggestion or status */
export async function setStatus(place: Place, id: string, text: string): Promise<string> {
  const status = parseStatus(text);
  const [[suggestion] = []] = /^[1-9]\d{0,14}$/.test(id)
    ? await execute(place, [sql`SELECT title FROM suggestions WHERE id = ${Number(id)}`])
    : [];
  if (!suggestion) throw new Problem(`There is no suggestion ${id}.`);
  const now = new Date();
  const clock = { now: () => now, newEventId: () => timeSortedId("evt", now) };
  await executeQueries(place, setSuggestionStatus(clock, { id: Number(id), status }));
  return `Suggestion ${id} is ${status}.`;
}
