import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { type Ending, runProject, runWrangler } from "./programs.ts";
import type { Edge } from "./start.ts";

/** A sentence about what is shown, and what shows it; its answer stands in the table. */
export type Step = [name: string, run: (rehearsal: Rehearsal) => Promise<string>];

const OWNER = "owner@example.com";
/** Each look at an upgrade is taken; the pauses between are short here. */
const WATCH_SECONDS = "1";
const POLL_MS = 250;
const PATIENCE_MS = 90_000;
/** Hundreds of posts may still be on their way. */
const SETTLES_WITHIN_MS = 600_000;

export interface Post {
  id: number;
  status: string;
}

/** What the steps of a rehearsal share. */
export class Rehearsal {
  readonly edge: Edge;
  readonly stateDir: string;
  token = "";
  /** The posts that were accepted so far, each of which has to go out once. */
  posts = 0;
  /** Of these, the posts whose simulated platform went with a lost Worker. */
  gone = 0;

  constructor(edge: Edge, stateDir: string) {
    this.edge = edge;
    this.stateDir = stateDir;
  }

  deploy(...args: string[]): Promise<Ending> {
    return runProject(this.edge, "src/cli/deploy.ts", ["--watch", WATCH_SECONDS, ...args], {
      STATE_DIR: this.stateDir,
      AKIMBO_OWNER_EMAIL: OWNER,
      AKIMBO_URL: this.edge.url,
    });
  }

  /** @throws AssertionError with wrangler's words */
  async wrangler(...args: string[]): Promise<string> {
    const { code, output } = await runWrangler(this.edge, args);
    assert.equal(code, 0, `wrangler ${args.join(" ")}\n${output}`);
    return output;
  }

  /** The copy of the configuration that `npm run deploy` wrote. */
  get config(): string[] {
    return ["--config", `${this.stateDir}/deploy.json`];
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(this.edge.url + path, { redirect: "manual", ...init });
  }

  /** One call of the API of what was deployed, as its owner. */
  async call<T>(method: string, path: string, body?: object | FormData): Promise<T> {
    const isForm = body instanceof FormData;
    const response = await this.fetch(path, {
      method,
      headers: {
        "x-api-key": this.token,
        ...(body && !isForm ? { "content-type": "application/json" } : {}),
        accept: "application/json, text/event-stream",
      },
      ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    const headers = JSON.stringify(Object.fromEntries(response.headers));
    assert.match(text, /^[[{]/, `${method} ${path}: ${response.status} ${headers} has no JSON`);
    return JSON.parse(text) as T;
  }

  /** Sets secrets by the API; a null removes one. */
  async setSecret(name: string, text: string): Promise<void> {
    const { success, errors } = await this.edge.account.call(
      "PUT",
      "/workers/scripts/akimbo/secrets",
      { name, text, type: "secret_text" },
    );
    assert.ok(success, JSON.stringify(errors));
  }

  /** How many rows the tables have that no restart and no deployment may change. */
  async counts(): Promise<Record<string, number>> {
    const tables = ["uploads", "attempts", "events", "accounts", "short_links", "tokens", "users"];
    const parts = tables.map((name) => `(SELECT count(*) FROM ${name}) AS ${name}`);
    const [row] = await this.edge.account.query(`SELECT ${parts.join(", ")}`);
    return row as Record<string, number>;
  }

  /** Waits until no post is on its way, while schedules run. */
  async settle(): Promise<void> {
    const open =
      "SELECT count(*) AS count FROM uploads WHERE status NOT IN ('completed', 'failed')";
    await until(async () => {
      const [row] = await this.edge.account.query(open);
      if (row?.count === 0) return true;
      await this.edge.account.runCron();
      return false;
    }, SETTLES_WITHIN_MS);
  }

  /** @throws AssertionError where a post is lost, failed, or stands at a platform more than once */
  async checkPosts(): Promise<void> {
    const [row] = await this.edge.account.query(
      `SELECT count(*) AS count, sum(status = 'completed') AS completed FROM uploads
        WHERE deleted_at IS NULL`,
    );
    assert.deepEqual(row, { count: this.posts, completed: this.posts });
    const { posts } = await this.call<{ posts: unknown[] }>(
      "GET",
      "/sandbox/api/posts?limit=10000",
    );
    assert.equal(posts.length, this.posts - this.gone, "each post stands at its platform once");
  }
}

/** @throws Error after a patience that a busy machine needs */
export async function until(isSo: () => Promise<boolean>, patienceMs = PATIENCE_MS): Promise<void> {
  for (const deadline = performance.now() + patienceMs; !(await isSo()); await sleep(POLL_MS)) {
    if (performance.now() > deadline) throw new Error("It did not come about in time.");
  }
}
