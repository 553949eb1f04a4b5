import { env } from "cloudflare:workers";
import { runSchedule } from "../../src/cron/schedule.ts";
import type { Harness } from "../support/harness.ts";
import { type Costs, measure, type Statement } from "../support/meter.ts";

/** Runs statements as one batch. */
export async function store(statements: string[]): Promise<void> {
  await env.DB.batch(statements.map((sql) => env.DB.prepare(sql)));
}

export const SUBMIT = "POST /xrpc/com.atproto.repo.putRecord";
export const UPLOAD_BLOB = "POST /xrpc/com.atproto.repo.uploadBlob";

/** Costs without the statements, to be compared as a whole. */
export const summary = ({ roundTrips, ...costs }: Costs) => ({
  ...costs,
  roundTrips: roundTrips.length,
});

/** The steps of the plan of a statement, in the database's words. */
export async function planOf({
  sql,
  params,
}: Pick<Statement, "sql" | "params">): Promise<string[]> {
  const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .bind(...params)
    .run<{ detail: string }>();
  return results.map(({ detail }) => detail);
}

/** Walks a whole table; a JSON list, a constant, the caller's team or rows already chosen may be walked. */
const walksTable = (step: string, chosen: string[]) =>
  step.startsWith("SCAN ") &&
  !/VIRTUAL TABLE|CONSTANT ROW|^SCAN (\(subquery|mine$)/.test(step) &&
  !chosen.includes(step.replace("SCAN ", ""));

/**
 * The statements that walk a table or sort what they read, with the steps by which they do. `chosen`
 * are names of rows that an earlier step of a statement has found.
 */
export async function slowPlans(
  statements: Iterable<Pick<Statement, "sql" | "params">>,
  chosen: string[] = [],
): Promise<string[]> {
  const slow: string[] = [];
  for (const statement of statements) {
    const steps = await planOf(statement);
    const bad = steps.filter((step) => walksTable(step, chosen) || step.includes("TEMP B-TREE"));
    if (bad.length > 0) slow.push(`${bad.join("; ")} in ${statement.sql}`);
  }
  return slow;
}

/** Ticks until the chores of the night and the hour are done, as they are at nearly every tick. */
export async function finishChores(harness: Harness): Promise<void> {
  for (let ticks = 0; ticks < 100; ticks++) {
    const { costs } = await measure(harness, () => runSchedule(harness.deps));
    if (costs.roundTrips.length === 1) return;
  }
  throw new Error("The chores do not come to an end.");
}
