import type { Db, Query } from "../../../src/db/client.ts";
import { ask } from "../ask.ts";
import { type Instance, startInstance } from "../instance.ts";
import type { ServerOptions } from "../server-options.ts";
import { type Bill, EMPTY_BILL, type Statement } from "./doors.ts";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const LEAP_MS = 600_000;

type Script = Pick<ServerOptions, "script" | "root">;
type Row = Record<string, unknown>;

/** The deployed service in moved time. It is killed and started again, and its state outlives it. */
export class Service {
  /** Epoch ms of its clock. */
  now: number;
  stateDir: string;
  readonly bill: Bill = { ...EMPTY_BILL };
  private script: Script;
  private readonly vars: Record<string, string>;
  private instance: Instance | null = null;

  constructor(start: number, script: Script, stateDir: string, vars: Record<string, string>) {
    this.now = start;
    this.script = script;
    this.stateDir = stateDir;
    this.vars = vars;
  }

  get origin(): string {
    if (!this.instance) throw new Error("The service is down.");
    return this.instance.origin;
  }

  async start(options: { isNew?: boolean } & Partial<Script> = {}): Promise<void> {
    const { isNew = false, ...script } = options;
    this.script = { ...this.script, ...script };
    this.instance = await startInstance({
      ...this.script,
      stateDir: `${this.stateDir}/v3`,
      clockOffset: Math.round((this.now - Date.now()) / 1_000),
      isNew,
      vars: this.vars,
    });
  }

  async kill(): Promise<void> {
    await this.instance?.kill();
    this.instance = null;
  }

  /** The schedule of so many minutes, with the messages that become due. */
  async leap(minutes: number): Promise<void> {
    await this.post("/month/leap", { at: this.now, ticks: minutes });
    this.now += minutes * MINUTE_MS;
  }

  /** Adds to the bill what was counted since the last time. */
  async readBill(): Promise<void> {
    const more = (await this.post("/month/bill", {})) as Bill;
    for (const name of Object.keys(this.bill) as (keyof Bill)[]) this.bill[name] += more[name];
  }

  async sql(sql: string, ...params: unknown[]): Promise<Row[]> {
    return (await this.runAll([{ sql, params }]))[0] ?? [];
  }

  async runAll(statements: Statement[]): Promise<Row[][]> {
    return (await this.post("/month/sql", statements)) as Row[][];
  }

  /** For queries of the project and of the harness. */
  get db(): Db {
    const runAll = async <T>(queries: readonly Query<T>[]): Promise<T[]> => {
      const answers = await this.runAll(queries.map(({ sql, params }) => ({ sql, params })));
      return queries.map((query, i) =>
        query.read({ results: answers[i] ?? [], meta: { changes: 0 } } as never),
      );
    };
    return { runAll, run: async (queries) => (await runAll(queries)) as never };
  }

  private post(path: string, body: object): Promise<unknown> {
    return ask(this.origin, { method: "POST", path, body, timeoutMs: LEAP_MS });
  }
}
