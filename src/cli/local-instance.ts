import { readFile } from "node:fs/promises";
import { addSeconds } from "../core/time.ts";
import type { HealthAnswer } from "./api.ts";
import { buildAssets } from "./assets.ts";
import { ensureDevVars, readDevVars } from "./dev-vars.ts";
import { localStorageVars } from "./local-storage.ts";
import { inProject } from "./paths.ts";
import { prepareWorkspace } from "./seed.ts";
import { requireFreePort, type Server, startServer, waitUntilAnswering } from "./server.ts";
import { openStorageDoor } from "./storage-door.ts";
import { checkVars, readTomlVars, type Vars } from "./vars.ts";

interface Wanted {
  port: number;
  stateDir: string;
  /** Variables of this run, before all others. */
  vars: Vars;
  /** A token that the demo workspace is to have; null: any. */
  chosenToken: string | null;
}

export interface LocalInstance extends Awaited<ReturnType<typeof prepareWorkspace>> {
  server: Server;
  health: HealthAnswer;
  config: ReturnType<typeof checkVars>;
}

/** Starts the service on this machine, with a demo workspace; without its ticks. */
export async function startInstance(wanted: Wanted): Promise<LocalInstance> {
  const { port, stateDir, vars, chosenToken } = wanted;
  const toml = readTomlVars(await readFile(inProject("wrangler.toml"), "utf8"));
  const done = await ensureDevVars(inProject(".dev.vars"), toml);
  if (done) console.log(done);
  const all = await readAllVars(toml, vars);
  const config = checkVars(all);
  await requireFreePort(port);

  console.log("Starting Akimbo …");
  await buildAssets();
  const at = addSeconds(new Date(), config.clockOffsetSeconds);
  const workspace = await prepareWorkspace(stateDir, chosenToken, at);
  const storageVars = all.STORAGE_ENDPOINT ? {} : localStorageVars(await openStorageDoor(port));
  const server = startServer({ port, stateDir, vars: { ...storageVars, ...vars } });
  return { ...workspace, server, config, health: await waitUntilAnswering(server) };
}

/** Reads the variables that the Worker will see: each source overrides the one before. */
async function readAllVars(toml: Vars, vars: Vars): Promise<Vars> {
  return {
    ...toml,
    ...(await readDevVars(inProject(".dev.vars"))),
    ...vars,
  };
}
