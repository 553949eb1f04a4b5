import { env } from "cloudflare:workers";
import { runSchedule } from "../../src/cron/schedule.ts";
import type { Harness, Member } from "../support/harness.ts";
import { type Costs, measure, type Statement } from "../support/meter.ts";

/** Runs statements as one batch. */
export async function store(statements: string[]): Promise<void> {
  await env.DB.batch(statements.map((sql) => env.DB.prepare(sql)));
}

const SERVICE = "https://pds.example.com";
const DID = "did:plc:ewvi7nxzyoun6zhxrhs64oiz";

/** Answers of an account's own server to every call that a post needs. */
const ANSWERS: Record<string, object> = {
  "com.atproto.server.getSession": { did: DID, handle: "ada.example.com", active: true },
  "com.atproto.repo.uploadBlob": {
    blob: { $type: "blob", ref: { $link: "bafkreib" }, mimeType: "image/png", size: 68 },
  },
  "com.atproto.repo.putRecord": { uri: `at://${DID}/app.bsky.feed.post/3l`, cid: "bafyreib" },
};

export const SUBMIT = "POST /xrpc/com.atproto.repo.putRecord";
export const UPLOAD_BLOB = "POST /xrpc/com.atproto.repo.uploadBlob";

/** Connects an account whose login lasts, at a server that takes everything; its id. */
export async function connectLive(harness: Harness, member: Member): Promise<string> {
  harness.network = async (input) => {
    const { pathname } = new URL(new Request(input).url);
    const answer = ANSWERS[pathname.replace("/xrpc/", "")];
    return answer ? Response.json(answer) : Response.json({ error: "Unscripted" }, { status: 501 });
  };
  const answer = await harness.call("POST", "/accounts", {
    token: member.token,
    json: { platform: "bluesky", service: SERVICE, credentials: { accessToken: "fresh" } },
  });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body.data.id;
}

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let photos = 0;

/** A PNG of one pixel with something behind it; no two are the same file. */
export function photo(sizeBytes = 100): Blob {
  const pixel = Uint8Array.from(atob(PIXEL), (character) => character.charCodeAt(0));
  const rest = new Uint8Array(Math.max(0, sizeBytes - pixel.length));
  return new Blob([pixel, rest, `number ${++photos}`], { type: "image/png" });
}

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
