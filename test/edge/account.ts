import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LIMITS, type LimitName, type LimitOverrides, type Plan } from "./limits.ts";
import { noWorker, Refusal } from "./refusal.ts";

export interface Binding {
  name: string;
  type: string;
  text?: string;
  json?: unknown;
  id?: string;
  bucket_name?: string;
  queue_name?: string;
  class_name?: string;
  script_name?: string;
  part?: string;
}

export interface Module {
  name: string;
  /** The content type that it was uploaded with. */
  type: string;
}

export interface Assets {
  /** Paths with a leading slash. */
  manifest: Record<string, { hash: string; size: number }>;
  config: { run_worker_first?: boolean | string[]; [name: string]: unknown };
}

export interface Version {
  id: string;
  number: number;
  createdAt: string;
  mainModule: string;
  modules: Module[];
  compatibilityDate: string;
  compatibilityFlags: string[];
  /** Secrets stand among them, with their texts. */
  bindings: Binding[];
  assets: Assets | null;
  annotations: Record<string, string>;
  /** The names that the main module exports as classes, and the handlers of its default export. */
  handlers: string[];
}

interface Deployment {
  id: string;
  createdAt: string;
  annotations: Record<string, string>;
  versions: { version_id: string; percentage: number }[];
}

export interface Script {
  name: string;
  tag: string;
  versions: Version[];
  /** The newest first. */
  deployments: Deployment[];
  migrationTag: string | null;
  /** Durable Object classes, and the id of the namespace behind each. */
  classes: Record<string, string>;
  schedules: string[];
  hasSubdomain: boolean;
  hasPreviews: boolean;
  settings: Record<string, unknown>;
}

export interface Consumer {
  consumer_id: string;
  type: string;
  script: string;
  dead_letter_queue: string | null;
  settings: {
    batch_size?: number;
    max_retries?: number;
    max_wait_time_ms?: number;
    retry_delay?: number;
  };
}

export interface Queue {
  queue_id: string;
  queue_name: string;
  created_on: string;
  consumer: Consumer | null;
  settings: { delivery_delay?: number };
}

interface Database {
  uuid: string;
  name: string;
  created_at: string;
}

export interface State {
  plan: Plan;
  subdomain: string | null;
  zones: { id: string; name: string }[];
  databases: Database[];
  buckets: Record<string, { cors: object | null; creation_date: string }>;
  queues: Queue[];
  scripts: Script[];
  domains: { id: string; hostname: string; service: string; zone_id: string }[];
  assetSessions: Record<string, Assets["manifest"]>;
}

export const ACCOUNT_ID = "acc";

export const newId = (): string => randomBytes(16).toString("hex");

const EMPTY: Omit<State, "plan"> = {
  subdomain: "example",
  zones: [{ id: "zone1", name: "example.com" }],
  databases: [],
  buckets: {},
  queues: [],
  scripts: [],
  domains: [],
  assetSessions: {},
};

/**
 * The state of an account in a folder. Each change is on disk before the call that made it is answered, so that a killed
 * process loses none.
 */
export class Account {
  readonly state: State;
  readonly folder: string;
  private readonly overrides: LimitOverrides;

  constructor(folder: string, plan: Plan, overrides: LimitOverrides = {}) {
    this.folder = folder;
    this.overrides = overrides;
    mkdirSync(folder, { recursive: true });
    const path = this.statePath();
    this.state = existsSync(path)
      ? (JSON.parse(readFileSync(path, "utf8")) as State)
      : { plan, ...structuredClone(EMPTY) };
  }

  private statePath(): string {
    return join(this.folder, "account.json");
  }

  save(): void {
    const draft = `${this.statePath()}.draft`;
    writeFileSync(draft, JSON.stringify(this.state));
    renameSync(draft, this.statePath());
  }

  /** Undoes what a refused call changed. */
  undo(): void {
    Object.assign(this.state, JSON.parse(readFileSync(this.statePath(), "utf8")));
  }

  limit(name: LimitName): number {
    return this.overrides[name] ?? LIMITS[name][this.state.plan];
  }

  /** @throws Refusal 10007 */
  script(name: string): Script {
    const script = this.findScript(name);
    if (!script) throw noWorker();
    return script;
  }

  findScript(name: string): Script | undefined {
    return this.state.scripts.find((one) => one.name === name);
  }

  /** @throws Refusal 7404 */
  database(idOrName: string): Database {
    const database = this.state.databases.find(
      ({ uuid, name }) => uuid === idOrName || name === idOrName,
    );
    if (!database) throw new Refusal(7_404, "The database could not be found.", 404, "storage");
    return database;
  }

  findQueue(name: string): Queue | undefined {
    return this.state.queues.find(({ queue_name }) => queue_name === name);
  }

  /** Returns the folder of a version's modules. */
  versionFolder(id: string): string {
    return join(this.folder, "versions", id);
  }

  readModule(versionId: string, name: string): Buffer {
    return readFileSync(join(this.versionFolder(versionId), name));
  }
}

/** @throws Refusal 10071 */
export function versionOf(script: Script, id: string): Version {
  const version = script.versions.find((one) => one.id === id);
  if (!version) {
    throw new Refusal(10_071, `Worker version ${id} not found.`, 404);
  }
  return version;
}

export function latestOf(script: Script): Version {
  const latest = script.versions.at(-1);
  if (!latest) throw new Refusal(10_222, "This Worker has no versions.", 404);
  return latest;
}
