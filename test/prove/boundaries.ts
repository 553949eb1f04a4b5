import type { Query } from "../../src/db/client.ts";

/** The write that a post or part is out and the next part begins. */
export const NEXT_PART = "next part";

type Statement = Pick<Query<unknown>, "sql" | "params">;

/** A write of one table, by hand or by Drizzle: its table, what it sets, and which rows it changes. */
const UPDATE = /^update "?(uploads|accounts)"?(?: as u)? set (.*?) where (.*)$/is;

/** Names what a batch of statements does for a publish. */
export function stepOf(queries: readonly Statement[]): string {
  // A claim makes a planned post pending first.
  if (queries.some(({ sql }) => sql.includes("fence = fence + 1"))) return "claim";
  for (const { sql } of queries) {
    if (sql.includes("SET woken_at = MAX(")) return "sweep";
    if (/^insert into "?uploads"?/i.test(sql)) return "create";
    const [, table, set = ""] = UPDATE.exec(sql) ?? [];
    if (table === "accounts") return accountStep(set);
    if (table === "uploads") return uploadStep(set);
  }
  return "read";
}

/** Returns the id of the upload that a write of one upload is about; null for every other statement. */
export function uploadIn({ sql, params }: Statement): number | null {
  const before = /^(UPDATE uploads .*?\bu\.id = )\?/s.exec(sql)?.[1];
  return before === undefined ? null : Number(params[before.split("?").length - 1]);
}

const accountStep = (set: string): string =>
  set.includes("credentials") ? "refresh stored" : "refresh lease";

function uploadStep(set: string): string {
  const sets = (column: string) => new RegExp(`(^|, )${column} = `).test(set);
  if (sets("part")) return NEXT_PART;
  if (sets("status_group")) {
    return /(^|, )status = '(completed|failed)'/.exec(set)?.[2] ?? "held";
  }
  if (sets("due_at")) return sets("backoffs") ? "back-off" : "park";
  if (sets("submitted_at")) return "intent";
  if (sets("bookmark")) return "progress";
  return sets("woken_at") ? "hand-over" : "media";
}

/** Steps that need enough crashes, before and after each; a platform's own steps follow. */
export const REQUIRED_STEPS = [
  "create",
  "claim",
  "progress",
  "intent",
  "park",
  "back-off",
  "completed",
  "refresh lease",
  "refresh stored",
  "sweep",
  "send",
  "send batch",
  "call step",
  "call submit",
  "call status",
  "call look-up",
  "call refresh",
] as const;

/** The same for the steps of a part. */
export const REQUIRED_PART_STEPS = [
  NEXT_PART,
  "part claim",
  "part progress",
  "part intent",
  "part park",
  "part back-off",
  "part completed",
  "part call step",
  "part call submit",
  "part call status",
  "part call look-up",
] as const;
