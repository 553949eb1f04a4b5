import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { inProject, PROJECT_DIR } from "../../src/cli/paths.ts";
import { spawnGroup, stopGroup } from "../../src/cli/process-group.ts";
import { ACCOUNT_ID } from "./account.ts";
import type { ControlAnswers } from "./control.ts";
import type { LimitOverrides, Plan } from "./limits.ts";
import { type Ports, READY, type ServerOptions } from "./server-options.ts";

const START_MS = 60_000;

export interface EdgeOptions {
  plan?: Plan;
  /** Where the account lives; a folder of its own, which goes with the edge, when it is left out. */
  folder?: string;
  limits?: LimitOverrides;
  /** Whether schedules run at each minute. */
  schedules?: boolean;
}

/** An answer of the account API. */
export interface ApiAnswer<T = unknown> {
  success: boolean;
  errors: { code: number; message: string; documentation_url?: string }[];
  result: T;
}

export type Edge = Awaited<ReturnType<typeof startEdge>>;

/**
 * Starts a stand-in for an account of Cloudflare in a process group of its own. The real wrangler deploys to it with
 * `env`, and what it deployed answers at `url`.
 */
export async function startEdge({
  plan = "paid",
  folder,
  limits = {},
  schedules = false,
}: EdgeOptions = {}) {
  const home = folder ?? (await mkdtemp(join(tmpdir(), "akimbo-edge-")));
  let ports: Ports | null = null;
  let child: ReturnType<typeof spawnGroup>;

  async function start(): Promise<Ports> {
    const options: ServerOptions = { folder: home, plan, limits, schedules, ...ports };
    const program = inProject("test", "edge", "server.ts");
    child = spawnGroup(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", program, JSON.stringify(options)],
      { cwd: PROJECT_DIR, stdio: ["pipe", "pipe", "inherit"] },
    );
    const late = setTimeout(() => kill(), START_MS);
    try {
      if (!child.stdout) throw new Error("The edge has no output.");
      for await (const line of createInterface({ input: child.stdout })) {
        if (line.startsWith(READY)) return JSON.parse(line.slice(READY.length)) as Ports;
        console.log(line);
      }
      throw new Error("The edge did not start.");
    } finally {
      clearTimeout(late);
    }
  }

  /** Ends all its processes at once, as a power cut would. */
  async function kill(): Promise<void> {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    process.kill(-child.pid, "SIGKILL");
    await ended;
  }

  async function call<T>(method: string, path: string, body?: unknown): Promise<ApiAnswer<T>> {
    const isForm = body instanceof FormData;
    const response = await fetch(`${apiUrl}/accounts/${ACCOUNT_ID}${path}`, {
      method,
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      ...(isForm || body === undefined ? {} : { headers: { "content-type": "application/json" } }),
    });
    return (await response.json()) as ApiAnswer<T>;
  }

  /** @throws Error with the API's words */
  async function require<T>(method: string, path: string, body?: unknown): Promise<T> {
    const { success, errors, result } = await call<T>(method, path, body);
    if (!success) throw new Error(errors.map(({ message }) => message).join("; "));
    return result;
  }

  const control = <Name extends keyof ControlAnswers>(name: Name, body: unknown = {}) =>
    require<ControlAnswers[Name]>("POST", `/edge/${name}`, body);

  ports = await start();
  const apiUrl = `http://127.0.0.1:${ports.apiPort}`;

  const account = {
    /** One call of the account API, whose path is without the account. */
    call,
    state: () => control("state"),
    /** The calls since the last time; `code` is that of a refusal. */
    takeCalls: () => control("calls"),
    /** Refuses calls that begin as `PUT /r2/buckets/akimbo-media/cors` does, as for a token without the right. */
    forbid: (...calls: string[]) => control("forbid", calls),
    /** Answers calls that begin as `POST /queues` does with 502, so many times. */
    fail: (start: string, times: number) => control("fail", { start, times }),
    runCron: (at = new Date()) => control("cron", { at: at.getTime() }),
    backlog: () => control("backlog"),
    errors: () => control("errors"),
    /** The texts of a script's secrets. */
    secrets: async (script = "akimbo"): Promise<Map<string, string>> => {
      const { scripts } = await control("state");
      const bindings = scripts.find(({ name }) => name === script)?.versions.at(-1)?.bindings ?? [];
      return new Map(
        bindings.flatMap(({ name, type, text = "" }) =>
          type === "secret_text" ? [[name, text] as const] : [],
        ),
      );
    },
    /** Runs SQL in a database; the rows of its last statement. */
    query: async (sql: string, params: unknown[] = [], database = "akimbo") => {
      const results = await require<
        { results: Record<string, unknown>[] }[]
      >("POST", `/d1/database/${database}/query`, { sql, params });
      return results.at(-1)?.results ?? [];
    },
  };

  return {
    folder: home,
    /** Where what was deployed answers. */
    url: `http://127.0.0.1:${ports.port}`,
    apiUrl,
    /** What wrangler needs to meet this account instead of Cloudflare. */
    env: {
      CLOUDFLARE_API_BASE_URL: apiUrl,
      CLOUDFLARE_API_TOKEN: "a-token",
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT_ID,
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_WRITE_LOGS: "false",
    },
    account,
    kill,
    /** After a kill, at the same addresses. */
    restart: async () => {
      await start();
    },
    stop: async () => {
      await stopGroup(child);
      if (!folder) await rm(home, { recursive: true, force: true });
    },
  };
}
