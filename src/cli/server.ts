import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { askHealth, type HealthAnswer } from "./api.ts";
import { showPath } from "./paths.ts";
import { Problem } from "./program.ts";
import type { Vars } from "./vars.ts";
import { startWrangler } from "./wrangler.ts";
import { createLineSorter } from "./wrangler-output.ts";

const READY_TIMEOUT_MS = 60_000;
const POLL_MS = 100;
/** A server whose starter was killed ends within less. */
const FREE_TIMEOUT_MS = 15_000;
/** For what the server says at its end to be shown. */
const LAST_WORDS_MS = 1_000;
const DEFAULT_PORT = 8787;

/** @throws Problem when PORT is no port */
export function readPort(env: NodeJS.ProcessEnv = process.env): number {
  const text = env.PORT || String(DEFAULT_PORT);
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) {
    throw new Problem(`PORT must be a number from 1 to 65535, not "${text}".`);
  }
  return port;
}

/** A port that nothing listens on. */
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

/**
 * Waits for a server whose starter was killed to let go of its port.
 *
 * @throws Problem when something goes on listening there
 */
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
  /** The exit code, when the server ends by itself. */
  ended: Promise<number>;
}

/** Starts `wrangler dev`: its errors are shown, the Worker's log lines go to a file. */
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
      ...["dev", "--port", String(port), "--inspector-port", "0", "--log-level", "log"],
      ...["--persist-to", stateDir, "--show-interactive-dev-session=false"],
      ...Object.entries(vars).flatMap(([name, value]) => ["--var", `${name}:${value}`]),
    ],
    { env: { WRANGLER_REGISTRY_PATH: join(stateDir, "registry") } },
  );
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on("line", createLineSorter(sinks));
  }
  const ended = new Promise<number>((resolve) => {
    child.on("close", (code) => resolve(code ?? 1));
    // Killed alone, it leaves others behind that hold its output open.
    child.on("exit", (code) => setTimeout(() => resolve(code ?? 1), LAST_WORDS_MS));
  });
  return { origin: `http://localhost:${port}`, logPath, ended };
}

/**
 * Waits until the server answers, and returns its state: one that is behind with its work has started all
 * the same, and needs the ticks that begin now.
 *
 * @throws Problem when the server ends, or does not answer in time: with its last words
 */
export async function waitUntilAnswering(
  { origin, ended, logPath }: Server,
  timeoutMs: number = READY_TIMEOUT_MS,
): Promise<HealthAnswer> {
  let exitCode: number | undefined;
  void ended.then((code) => {
    exitCode = code;
  });
  const deadline = Date.now() + timeoutMs;
  let last: HealthAnswer | null = null;
  do {
    if (exitCode !== undefined) throw toProblem(exitCode);
    const answer = await askHealth(origin);
    if (answer?.status) return answer;
    last = answer ?? last;
    await sleep(POLL_MS);
  } while (Date.now() < deadline);
  const said = last ? `Its last answer: ${last.text}` : "It gave no answer at all.";
  throw new Problem(
    `The server is not ready at ${origin}/health. ${said}\n` +
      `Its log may say why: ${showPath(logPath)}`,
  );
}

/** Reports that the server stopped. Its own error has been printed by then. */
export const toProblem = (exitCode: number): Problem =>
  exitCode === 0
    ? new Problem("The server stopped unexpectedly.")
    : new Problem(`The server stopped (exit code ${exitCode}).`, exitCode);
