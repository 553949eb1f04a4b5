import type { ChildProcess } from "node:child_process";
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { runGroup, spawnGroup, stopGroup } from "../../src/cli/process-group.ts";
import { findFreePort } from "../../src/cli/server.ts";
import { plainEnv, runNpm } from "./npm.ts";

export const N8N_VERSION = "2.41.1";

/** Kept between runs: n8n has more than a thousand packages. */
const PROGRAM = join(tmpdir(), `akimbo-n8n-${N8N_VERSION}`);

/** What n8n cannot start without, and has no program for every machine in its package. Packages of single nodes, such as Kafka's, need libraries that a machine may not have. */
const COMPILED = ["sqlite3"];

const START_MS = 180_000;
const ACTIVATION_MS = 30_000;
const POLL_MS = 250;

const OWNER = {
  email: "ada@n8n.example",
  firstName: "Ada",
  lastName: "Test",
  password: "A-long-password-1",
};

/** Seconds that the installation took; 0 when an earlier run made it. */
export async function installN8n(): Promise<number> {
  const done = join(PROGRAM, "done");
  if (await readFile(done).catch(() => null)) return 0;
  const startedAt = Date.now();
  await mkdir(PROGRAM, { recursive: true });
  await writeFile(join(PROGRAM, "package.json"), JSON.stringify({ private: true }));
  await runNpm(PROGRAM, ["install", "--ignore-scripts", `n8n@${N8N_VERSION}`]);
  await runNpm(PROGRAM, ["rebuild", ...COMPILED]);
  await writeFile(done, "");
  return Math.round((Date.now() - startedAt) / 1000);
}

export interface Execution {
  id: number;
  status: string;
  mode: string;
}

/** An n8n with a folder and an SQLite database of its own. */
export class N8n {
  readonly folder: string;
  readonly port: number;
  readonly origin: string;
  private server: ChildProcess | null = null;
  private cookie = "";

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
    this.origin = `http://localhost:${port}`;
  }

  /** Installs the packed node as n8n's guide for packages outside its list says. */
  static async create(packagePath: string): Promise<N8n> {
    const folder = await mkdtemp(join(tmpdir(), "akimbo-n8n-data-"));
    const nodes = join(folder, ".n8n", "nodes");
    await mkdir(nodes, { recursive: true });
    await writeFile(join(nodes, "package.json"), JSON.stringify({ private: true }));
    await runNpm(nodes, ["install", "--omit=peer", "--ignore-scripts", packagePath]);
    return new N8n(folder, await findFreePort());
  }

  private env(): NodeJS.ProcessEnv {
    return plainEnv({
      HOME: this.folder,
      N8N_USER_FOLDER: this.folder,
      N8N_HOST: "localhost",
      N8N_PORT: String(this.port),
      N8N_LISTEN_ADDRESS: "127.0.0.1",
      WEBHOOK_URL: `${this.origin}/`,
      DB_TYPE: "sqlite",
      N8N_ENCRYPTION_KEY: "of-the-test",
      N8N_SECURE_COOKIE: "false",
      N8N_DIAGNOSTICS_ENABLED: "false",
      N8N_VERSION_NOTIFICATIONS_ENABLED: "false",
      N8N_TEMPLATES_ENABLED: "false",
      N8N_PERSONALIZATION_ENABLED: "false",
      // Results of commands are lines of this level.
      N8N_LOG_LEVEL: "info",
    });
  }

  private readonly program = join(PROGRAM, "node_modules", "n8n", "bin", "n8n");

  /** A command of n8n's command line; throws with its output when it fails. */
  async command(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await runGroup(process.execPath, [this.program, ...args], {
      cwd: this.folder,
      env: this.env(),
    });
    if (code !== 0) throw new Error(`n8n ${args.join(" ")}: ${code}\n${stdout}\n${stderr}`);
    return stdout;
  }

  async importAll(kind: "credentials" | "workflow", entries: readonly object[]): Promise<void> {
    const file = join(this.folder, `${kind}.json`);
    await writeFile(file, JSON.stringify(entries));
    await this.command(`import:${kind}`, `--input=${file}`);
  }

  /** Starts the server, and signs its owner in, who is made the first time. */
  async start(): Promise<void> {
    const log = await open(join(this.folder, "n8n.log"), "a");
    this.server = spawnGroup(process.execPath, [this.program, "start"], {
      cwd: this.folder,
      env: this.env(),
      stdio: ["ignore", log.fd, log.fd],
    });
    await log.close();
    const deadline = Date.now() + START_MS;
    while (!(await this.isReady())) {
      if (Date.now() > deadline || this.server.exitCode !== null) {
        throw new Error(`n8n does not start:\n${await this.log()}`);
      }
      await sleep(POLL_MS);
    }
    const { email, password } = OWNER;
    if (this.cookie === "") await this.rest("POST", "/owner/setup", OWNER);
    else await this.rest("POST", "/login", { emailOrLdapLoginId: email, password });
  }

  private async isReady(): Promise<boolean> {
    const answer = await fetch(`${this.origin}/healthz/readiness`).catch(() => null);
    return answer?.status === 200;
  }

  log = (): Promise<string> => readFile(join(this.folder, "n8n.log"), "utf8");

  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  async rest(method: string, path: string, body?: object): Promise<any> {
    const response = await fetch(`${this.origin}/rest${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        cookie: this.cookie,
        "browser-id": "of-the-test",
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const [cookie] = response.headers.getSetCookie();
    if (cookie) this.cookie = cookie.split(";")[0] ?? "";
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text).data;
  }

  /** Opens a page of n8n in the owner's browser. */
  async open(url: URL): Promise<void> {
    const { status } = await fetch(url, { headers: { cookie: this.cookie } });
    if (status !== 200) throw new Error(`${url.pathname} answers with ${status}.`);
  }

  /** Publishes a workflow, and waits until its webhook is registered, which n8n does after it has answered. */
  async activate(workflowId: string): Promise<void> {
    const { versionId } = await this.rest("GET", `/workflows/${workflowId}`);
    await this.rest("POST", `/workflows/${workflowId}/activate`, { versionId });
    const deadline = Date.now() + ACTIVATION_MS;
    const query = "SELECT 1 FROM webhook_entity WHERE workflowId = ?";
    while (this.select(query, workflowId).length === 0) {
      if (Date.now() > deadline) throw new Error(`${workflowId} stays without a webhook.`);
      await sleep(POLL_MS);
    }
  }

  deactivate = (workflowId: string) => this.rest("POST", `/workflows/${workflowId}/deactivate`, {});

  private select(query: string, ...values: string[]): unknown[] {
    const path = join(this.folder, ".n8n", "database.sqlite");
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      return database.prepare(query).all(...values);
    } finally {
      database.close();
    }
  }

  /** Of a workflow, the oldest first, as they stand in the database. */
  executions(workflowId: string): Execution[] {
    const query = "SELECT id, status, mode FROM execution_entity WHERE workflowId = ? ORDER BY id";
    return this.select(query, workflowId) as Execution[];
  }

  /** What an execution stored, as text. */
  async dataOf(executionId: number | undefined): Promise<string> {
    return JSON.stringify(await this.rest("GET", `/executions/${executionId}`));
  }

  async restart(): Promise<void> {
    if (this.server) await stopGroup(this.server);
    await this.start();
  }

  async end(): Promise<void> {
    if (this.server) await stopGroup(this.server);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
