import type { Query } from "../../src/db/client.ts";

/** What a batch of statements does for a publish, as the harness names it. */
export function stepOf(queries: readonly Pick<Query<unknown>, "sql" | "params">[]): string {
  for (const { sql, params } of queries) {
    if (sql.includes("fence = fence + 1")) return "claim";
    if (sql.includes("SET woken_at = MAX(")) return "sweep";
    if (/^insert into "?uploads"?/i.test(sql)) return "create";
    const columns = /^update "(uploads|accounts)" set (.*?) where /is.exec(sql);
    if (columns?.[1] === "accounts") return accountStep(columns[2] ?? "");
    if (columns?.[1] === "uploads") return uploadStep(columns[2] ?? "", params);
  }
  return "read";
}

/** Id of the upload that a statement names as the one it is about; null where it names none. */
export function uploadIn({ sql, params }: Pick<Query<unknown>, "sql" | "params">): number | null {
  const before = /^(.*?"uploads"\."id" = )\?/s.exec(sql)?.[1];
  return before === undefined ? null : Number(params[before.split("?").length - 1]);
}

const accountStep = (set: string): string =>
  set.includes('"credentials"') ? "refresh stored" : "refresh lease";

function uploadStep(set: string, params: readonly unknown[]): string {
  if (set.includes('"status_group"')) {
    const outcome = ["completed", "failed"].find((status) => params.includes(status));
    return outcome ?? "held";
  }
  if (set.includes('"due_at"')) return set.includes('"status"') ? "back-off" : "park";
  if (set.includes('"submitted_at"')) return "intent";
  if (set.includes('"bookmark"')) return "progress";
  return set.includes('"woken_at"') ? "hand-over" : "media";
}

/** Where a crash has to have happened often enough, before and after; what a platform adds follows. */
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
