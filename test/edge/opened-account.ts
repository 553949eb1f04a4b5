import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { ACCOUNT_ID, Account, type Script, type Version } from "./account.ts";
import { Api } from "./api.ts";
import type { LimitOverrides, Plan } from "./limits.ts";
import { QueueBroker } from "./queue-broker.ts";
import { Refusal } from "./refusal.ts";
import { ACCOUNT_ROUTES } from "./routes/all.ts";
import { Runner } from "./runner.ts";

const ORIGIN = "http://api";
const SCRIPT =
  "export class Counter {} export default { fetch: () => new Response(), queue() {} };";
const JS = "application/javascript+module";

const open: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of open) await close();
});

/** An account in this process, with the runtime behind its databases. */
export function openAccount(plan: Plan, limits: LimitOverrides = {}) {
  const folder = mkdtempSync(join(tmpdir(), "akimbo-account-"));
  const account = new Account(folder, plan, limits);
  account.save();
  const broker = new QueueBroker(account);
  const runner = new Runner(account, (request) => broker.take(request));
  const api = new Api({ account, runner, origin: ORIGIN }, ACCOUNT_ROUTES);
  open.push(async () => {
    broker.stop();
    await runner.stop();
    rmSync(folder, { recursive: true });
  });
  async function call(method: string, path: string, body: object = {}): Promise<unknown> {
    const url = new URL(`/accounts/${ACCOUNT_ID}${path}`, ORIGIN);
    const request = new Request(url, {
      method: "POST",
      body: body instanceof FormData ? body : JSON.stringify(body),
    });
    const type = request.headers.get("content-type") ?? "";
    const reply = await api.answer(method, url, type, Buffer.from(await request.arrayBuffer()));
    return reply.result;
  }
  return { account, broker, call };
}

export type Opened = ReturnType<typeof openAccount>;

interface Upload {
  metadata?: object;
  script?: string;
  type?: string;
  name?: string;
}

export function upload({
  metadata = {},
  script = SCRIPT,
  type = JS,
  name = "worker.js",
}: Upload): FormData {
  const form = new FormData();
  const whole = { main_module: "worker.js", compatibility_date: "2026-09-18", ...metadata };
  form.set("metadata", JSON.stringify(whole));
  form.set(name, new File([script], name, { type }));
  return form;
}

export const put = (opened: Opened, parts: Upload, name = "worker") =>
  opened.call("PUT", `/workers/scripts/${name}`, upload(parts));

const version = (number: number): Version => ({
  id: randomUUID(),
  number,
  createdAt: new Date().toISOString(),
  mainModule: "worker.js",
  modules: [],
  compatibilityDate: "2026-09-18",
  compatibilityFlags: [],
  bindings: [],
  assets: null,
  annotations: {},
  handlers: ["fetch", "queue"],
});

/** A script as the account keeps it, without an upload. */
export function addScript({ account }: Opened, name: string, versions = 1): Script {
  const script: Script = {
    name,
    tag: "",
    versions: Array.from({ length: versions }, (_, i) => version(i + 1)),
    deployments: [],
    migrationTag: null,
    classes: {},
    schedules: [],
    hasSubdomain: false,
    hasPreviews: false,
    settings: {},
  };
  account.state.scripts.push(script);
  account.save();
  return script;
}

export const addDatabase = async ({ call }: Opened, name = "data") =>
  (await call("POST", "/d1/database", { name })) as { uuid: string };

export const query = (opened: Opened, sql: string, params: unknown[] = []) =>
  opened.call("POST", "/d1/database/data/query", { sql, params });

export async function addConsumer(opened: Opened, settings: object): Promise<unknown> {
  addScript(opened, "worker");
  const queue = (await opened.call("POST", "/queues", { queue_name: "jobs" })) as {
    queue_id: string;
  };
  const body = { type: "worker", script_name: "worker", settings };
  return opened.call("POST", `/queues/${queue.queue_id}/consumers`, body);
}

export async function send(opened: Opened, path: string, init: RequestInit): Promise<unknown> {
  await opened.call("POST", "/queues", { queue_name: "jobs" });
  const request = new Request(`http://queue/${path}?queue=jobs`, { method: "POST", ...init });
  const response = await opened.broker.take(request);
  if (!response.ok) throw new Refusal(response.status, await response.text());
  return response.json();
}

export const batch = (count: number, bytes: number): RequestInit => ({
  body: JSON.stringify({
    messages: Array.from({ length: count }, () => ({
      contentType: "text",
      body: Buffer.alloc(bytes).toString("base64"),
    })),
  }),
});

export interface Row {
  /** Cloudflare's code, D1's, or the status that a queue's binding answers. */
  code: number;
  plan?: Plan;
  limits?: LimitOverrides;
  run: (opened: Opened) => Promise<unknown>;
}

export const many = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
export const texts = (count: number, bytes = 1) =>
  many(count, (i) => ({ name: `VAR_${i}`, type: "plain_text", text: "x".repeat(bytes) }));
export const manifest = (count: number, size: number) =>
  Object.fromEntries(
    many(count, (i) => [`/${i}`, { hash: i.toString(16).padStart(32, "0"), size }]),
  );

export async function codeOf({ plan = "free", limits, run }: Row): Promise<number> {
  try {
    await run(openAccount(plan, limits));
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
  return 0;
}
