import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { askHealth, type HealthAnswer } from "./api.ts";
import { showPath } from "./paths.ts";
import { groupCpuSeconds } from "./process-group.ts";
import { Problem } from "./program.ts";
import type { Vars } from "./vars.ts";
import { startWrangler } from "./wrangler.ts";
import { createLineSorter } from "./wrangler-output.ts";

/** A start fails after this long without activity. */
const STILL_TIMEOUT_MS = 60_000;
/** A start fails after this long, even with activity. */
const BUSY_TIMEOUT_MS = 15 * 60_000;
const TELL_EVERY_MS = 15_000;
const POLL_MS = 100;
/** A server ends within this time after the process that started it is killed. */
const FREE_TIMEOUT_MS = 15_000;
const LAST_WORDS_MS = 1_000;
/** Not 8787: Cursor waits there for the answer of a sign-in. Source: cursor.com/docs/mcp. */
const DEFAULT_PORT = 8797;

/** @throws Problem when PORT is not a port */
export function readPort(env: NodeJS.ProcessEnv = process.env): number {
  const text = env.PORT || String(DEFAULT_PORT);
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) {
    throw new Problem(`PORT must be a number from 1 to 65535, not "${text}".`);
  }
  return port;
}

export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, "localhost");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

const isTaken = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: "localhost" });
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });

/** @throws Problem when the port stays in use */
export async function requireFreePort(
  port: number,
  timeoutMs: number = FREE_TIMEOUT_MS,
): Promise<void> {
  if (!(await isTaken(port))) return;
  console.log(`Port ${port} is in use. Waiting a moment for it …`);
  for (const end = Date.now() + timeoutMs; Date.now() < end; await sleep(POLL_MS)) {
    if (!(await isTaken(port))) return;
  }
  throw new Problem(
    `Port ${port} is already in use. Perhaps Akimbo is running in another terminal; if not, choose ` +
      `another port: PORT=${port === 65_535 ? DEFAULT_PORT : port + 1} npm start`,
  );
}

export interface Server {
  origin: string;
  logPath: string;
  ended: Promise<number>;
  /** The number grows with the server's output and CPU time. */
  activity(): number;
}

export function startServer(options: { port: number; stateDir: string; vars: Vars }): Server {
  const { port, stateDir, vars } = options;
  const logPath = join(stateDir, "akimbo.log");
  const log = createWriteStream(logPath, { flags: "a" });
  const sinks = {
    log: (line: string) => void log.write(`${line}\n`),
    show: (line: string) => console.error(line),
  };
  const child = startWrangler(
    [
      "dev",
      "--port",
      String(port),
      "--inspector-port",
      "0",
      "--log-level",
      "log",
      "--persist-to",
      stateDir,
      "--show-interactive-dev-session=false",
      ...Object.entries(vars).flatMap(([name, value]) => ["--var", `${name}:${value}`]),
    ],
    { env: { WRANGLER_REGISTRY_PATH: join(stateDir, "registry") } },
  );
  let lines = 0;
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    const sort = createLineSorter(sinks);
    createInterface({ input: stream }).on("line", (line) => {
      lines++;
      sort(line);
    });
  }
  const activity = () => lines + groupCpuSeconds(child.pid ?? 0);
  const ended = new Promise<number>((resolve) => {
    child.on("close", (code) => resolve(code ?? 1));
    // A killed wrangler may leave processes behind that keep its output open.
    child.on("exit", (code) => setTimeout(() => resolve(code ?? 1), LAST_WORDS_MS));
  });
  return { origin: `http://localhost:${port}`, logPath, ended, activity };
}

/**
 * Waits for the first answer. A server that is behind with its work counts as started.
 *
 * @throws Problem with the server's last output
 */
export async function waitUntilAnswering(
  { origin, ended, logPath, activity }: Server,
  stillMs: number = STILL_TIMEOUT_MS,
): Promise<HealthAnswer> {
  let exitCode: number | undefined;
  void ended.then((code) => {
    exitCode = code;
  });
  const startedAt = Date.now();
  let movedAt = startedAt;
  let toldAt = startedAt;
  let seen = activity();
  let last: HealthAnswer | null = null;
  do {
    if (exitCode !== undefined) throw toProblem(exitCode);
    const answer = await askHealth(origin);
    if (answer?.status) return answer;
    last = answer ?? last;
    if (activity() > seen) {
      seen = activity();
      movedAt = Date.now();
    }
    if (Date.now() >= toldAt + TELL_EVERY_MS) {
      toldAt = Date.now();
      console.log(describeWait(origin, last, toldAt - startedAt));
    }
    await sleep(POLL_MS);
  } while (Date.now() < Math.min(movedAt + stillMs, startedAt + BUSY_TIMEOUT_MS));
  const lastAnswer = last ? `Its last answer: ${last.text}` : "It gave no answer at all.";
  throw new Problem(
    `The server is not ready at ${origin}/health. ${lastAnswer}\n` +
      `Its log may say why: ${showPath(logPath)}`,
  );
}

const describeWait = (origin: string, last: HealthAnswer | null, waitedMs: number): string => {
  const awaited = last
    ? `a good answer of ${origin}/health, which is ${last.text}`
    : `the first answer of ${origin}/health; wrangler still builds or starts the Worker`;
  return `Waiting for ${Math.round(waitedMs / 1_000)} s for ${awaited}.`;
};

export const toProblem = (exitCode: number): Problem =>
  exitCode === 0
    ? new Problem("The server stopped unexpectedly.")
    : new Problem(`The server stopped (exit code ${exitCode}).`, exitCode);
