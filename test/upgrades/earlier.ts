import { applyD1Migrations, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import states from "earlier-states";
import { vi } from "vitest";
import { simulatedOf } from "../../src/sandbox/registry.ts";
import { theSandbox } from "../../src/sandbox/state.ts";
import { empty } from "../support/empty.ts";
import { type Answer, Harness } from "../support/harness.ts";
import { type Facts, REFUSED } from "./states.ts";

export const EARLIER = states;
export type Earlier = (typeof states)[number];

/** Statements of a batch; the database takes a second for each batch that a state would be one by one. */
const AT_ONCE = 200;

export async function countRows(tables: string[]): Promise<Record<string, number>> {
  const results = await env.DB.batch<{ count: number }>(
    tables.map((name) => env.DB.prepare(`SELECT count(*) AS count FROM "${name}"`)),
  );
  return Object.fromEntries(results.map(({ results: [row] }, i) => [tables[i], row?.count ?? 0]));
}

/** Puts the database and the small files of a state in place of what is there, with the schema of that time. */
export async function load({ facts, statements, sandbox }: Earlier): Promise<void> {
  await empty();
  for (let i = 0; i < statements.length; i += AT_ONCE) {
    await env.DB.batch(
      ["PRAGMA defer_foreign_keys = on", ...statements.slice(i, i + AT_ONCE)].map((statement) =>
        env.DB.prepare(statement),
      ),
    );
  }
  await loadSandbox(sandbox);
  for (const [key, base64] of Object.entries(facts.files)) {
    await env.MEDIA.put(key, Uint8Array.fromBase64(base64));
  }
}

/** What the simulated platforms knew: the logins of accounts and their posts. */
async function loadSandbox(statements: string[]): Promise<void> {
  const stub = theSandbox(env.SANDBOX_STATE);
  await runInDurableObject(stub, (_, { storage: { sql } }) => {
    const tables = sql.exec("SELECT name FROM sqlite_master WHERE type = 'table'").toArray();
    for (const { name } of tables) {
      if (!/^(_cf|sqlite)_/.test(String(name))) sql.exec(`DROP TABLE "${name}"`);
    }
    for (const statement of statements) sql.exec(statement);
  });
  await evictDurableObject(stub);
}

/** The migrations that the state has not, as a deploy applies them. */
export const upgrade = (): Promise<void> => applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

/** Today's service over the database of an earlier state, at this moment. */
export class Upgraded {
  readonly harness = new Harness();
  readonly facts: Facts;
  /** Addresses that were called, in their order. */
  readonly called: Request[] = [];

  constructor(facts: Facts, at = facts.madeAt) {
    this.facts = facts;
    this.moveTo(at);
    this.harness.network = async (input, init) => {
      const request = new Request(input, init);
      this.called.push(request.clone());
      return new Response("ok");
    };
  }

  moveTo(at: string | number): void {
    vi.setSystemTime(new Date(at));
  }

  call(method: string, path: string, json?: unknown, token = this.facts.token): Promise<Answer> {
    return this.harness.call(method, path, { token, ...(json === undefined ? {} : { json }) });
  }

  async get(path: string): Promise<Answer["body"]> {
    const { status, body } = await this.call("GET", path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  /** Texts of an account's posts in the sandbox that are this one. */
  async published(accountId: string, text: string): Promise<number> {
    const answer = await this.harness.request(`/sandbox/api/posts?accountId=${accountId}`);
    const { posts } = (await answer.json()) as { posts: { text?: string; caption?: string }[] };
    return posts.filter((post) => JSON.stringify(post).includes(JSON.stringify(text).slice(1, -1)))
      .length;
  }

  /** Has the sandbox of Bluesky not see the word that has it refuse a post. */
  async withoutRefusal<T>(work: () => Promise<T>): Promise<T> {
    const simulator = await simulatedOf("bluesky")?.load();
    if (!simulator) throw new Error("Bluesky is not simulated.");
    const original = simulator.handle;
    simulator.handle = async (call, store) => {
      const body = call.request.body && (await call.request.clone().text());
      if (!body?.includes(REFUSED)) return original(call, store);
      const request = new Request(call.request, { body: body.replaceAll(REFUSED, "") });
      return original({ ...call, request }, store);
    };
    try {
      return await work();
    } finally {
      simulator.handle = original;
    }
  }

  /** Follows what is due now and in the next hour to its end. */
  async finish(): Promise<void> {
    for (const minutes of [0, 1, 1, 3, 7, 20, 30]) {
      this.harness.advance(60 * minutes);
      await this.harness.tick();
      await this.harness.drain(100);
      await this.harness.drainEvents(100);
    }
  }
}
