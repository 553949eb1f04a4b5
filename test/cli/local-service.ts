import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inProject } from "../../src/cli/paths.ts";
import { findFreePort } from "../../src/cli/server.ts";

/** The whole service as `npm start` runs it: its storage is wrangler's own S3 endpoint. */
export interface LocalService {
  origin: string;
  port: number;
  stateDir: string;
  token: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  api(method: string, path: string, body?: object): Promise<any>;
  stop(): Promise<void>;
}

export const newStateDir = (): Promise<string> => mkdtemp(join(tmpdir(), "akimbo-service-"));

/** The token of the workspaces that are made here. */
export const TOKEN = `kmb_${"5".repeat(64)}`;

/** @param vars variables of the Worker */
export async function startLocalService(
  vars: Record<string, string> = {},
  stateFolder?: string,
): Promise<LocalService> {
  const stateDir = stateFolder ?? (await newStateDir());
  const port = await findFreePort();
  const origin = `http://localhost:${port}`;
  const token = TOKEN;
  const options = Object.entries(vars).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  const server: ChildProcess = fork(inProject("src/cli/start.ts"), options, {
    env: { ...process.env, PORT: String(port), STATE_DIR: stateDir, AKIMBO_DEMO_TOKEN: token },
    stdio: "ignore",
  });
  const [message] = await once(server, "message");
  assert.equal(message, "ready");
  return {
    ...{ origin, port, stateDir, token },
    async api(method, path, body) {
      const response = await fetch(`${origin}/api/v1${path}`, {
        method,
        headers: { "x-api-key": token, "content-type": "application/json" },
        body: body ? JSON.stringify(body) : null,
      });
      return response.json();
    },
    async stop() {
      if (server.exitCode === null) {
        server.kill("SIGINT");
        await once(server, "exit");
      }
      await rm(stateDir, { recursive: true });
    },
  };
}
