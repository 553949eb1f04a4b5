import { readFile } from "node:fs/promises";
import { addSeconds } from "../core/time.ts";
import { buildAssets } from "./assets.ts";
import { ensureDevVars, readDevVars, requireOwnKeys } from "./dev-vars.ts";
import { localStorageVars } from "./local-storage.ts";
import { inProject } from "./paths.ts";
import { prepareWorkspace } from "./seed.ts";
import { requireFreePort, startServer, waitUntilAnswering } from "./server.ts";
import { openStorageDoor } from "./storage-door.ts";
import { checkVars, readTomlVars, type Vars } from "./vars.ts";

interface InstanceOptions {
  port: number;
  stateDir: string;
  vars: Vars;
  chosenToken: string | null;
}

/** The local instance's schedule only runs when the caller triggers it. */
export async function startInstance({ port, stateDir, vars, chosenToken }: InstanceOptions) {
  const toml = readTomlVars(await readFile(inProject("wrangler.toml"), "utf8"));
  requireOwnKeys(inProject(".dev.vars"), stateDir);
  const done = await ensureDevVars(inProject(".dev.vars"), toml);
  if (done) console.log(done);
  const all: Vars = { ...toml, ...(await readDevVars(inProject(".dev.vars"))), ...vars };
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
