import { readFile } from "node:fs/promises";
import { Command } from "commander";
import { addSeconds } from "../core/time.ts";
import { PLATFORMS } from "../platforms/registry.ts";
import { createApi, ensureSandboxAccounts } from "./api.ts";
import { buildAssets } from "./assets.ts";
import { ensureDevVars, readDevVars } from "./dev-vars.ts";
import { localStorageVars } from "./local-storage.ts";
import { inProject, readStateDir, showPath } from "./paths.ts";
import { runProgram } from "./program.ts";
import { prepareWorkspace, readDemoTokenVariable } from "./seed.ts";
import {
  readPort,
  requireFreePort,
  type Server,
  startServer,
  toProblem,
  waitUntilAnswering,
} from "./server.ts";
import { runSchedule, startTicker } from "./ticker.ts";
import { checkVars, parseVarOptions, readTomlVars, type Vars } from "./vars.ts";

/** Platform of the first post that is suggested. */
const FIRST_PLATFORM = "bluesky";

async function main(stopping: AbortSignal): Promise<number> {
  const vars = { ENVIRONMENT: "development", ...parseVarOptions(readOptions()) };
  const port = readPort();
  const stateDir = readStateDir();
  const chosenToken = readDemoTokenVariable(process.env);
  const toml = readTomlVars(await readFile(inProject("wrangler.toml"), "utf8"));
  const done = await ensureDevVars(inProject(".dev.vars"), toml);
  if (done) console.log(done);
  const all = await readAllVars(toml, vars);
  const { sandboxEnabled, publicUrl, clockOffsetSeconds } = checkVars(all);
  await requireFreePort(port);

  console.log("Starting Akimbo …");
  await buildAssets();
  const at = addSeconds(new Date(), clockOffsetSeconds);
  const { token, signInPath } = await prepareWorkspace(stateDir, chosenToken, at);
  const server = startServer({
    port,
    stateDir,
    vars: { ...localStorageVars(port, all), ...vars },
  });
  const { status, error } = await waitUntilAnswering(server);
  startTicker(
    (minuteMs) => runSchedule(server.origin, minuteMs, clockOffsetSeconds),
    (message) => {
      if (!stopping.aborted) console.error(`The schedule of this minute failed: ${message}`);
    },
  );
  const signIn = (publicUrl ?? server.origin) + signInPath;
  const lines = [...describeAddresses(server, sandboxEnabled), `  Sign in       ${signIn}`];
  console.log([...lines, ...describeToken(token)].join("\n"));
  if (token && sandboxEnabled) console.log(await describeFirstPost(server.origin, token));
  if (status !== "ok") console.error(`\nIts health is ${status}. ${error ?? ""}`.trimEnd());
  console.log("\nCtrl-C stops Akimbo.");
  process.send?.("ready");
  throw toProblem(await server.ended);
}

function readOptions(): string[] {
  const program = new Command("npm start --")
    .description("Runs Akimbo on this machine, with a demo workspace and the sandbox.")
    .option(
      "--var <NAME:VALUE>",
      "a variable of the Worker; repeat it for several",
      (value: string, all: string[]) => [...all, value],
      [] as string[],
    )
    .parse();
  return program.opts<{ var: string[] }>().var;
}

/** Reads the variables that the Worker will see: each source overrides the one before. */
async function readAllVars(toml: Vars, vars: Vars): Promise<Vars> {
  return {
    ...toml,
    ...(await readDevVars(inProject(".dev.vars"))),
    ...vars,
  };
}

const describeAddresses = ({ origin, logPath }: Server, sandboxEnabled: boolean): string[] => [
  "",
  `Akimbo is running at ${origin}`,
  "",
  ...(sandboxEnabled ? [`  Sandbox feed  ${origin}/sandbox`] : []),
  `  API docs      ${origin}/docs`,
  `  Health        ${origin}/health`,
  `  Log           ${showPath(logPath)}`,
];

const describeToken = (token: string | null): string[] =>
  token
    ? [`  API token     ${token}`]
    : [
        "",
        "This database has a workspace of your own. A token for it:",
        "",
        '  npm run cli -- token create --name "My token"',
      ];

async function describeFirstPost(origin: string, token: string): Promise<string> {
  try {
    const ids = await ensureSandboxAccounts(createApi(origin, token), PLATFORMS);
    const accountId = ids[PLATFORMS.indexOf(FIRST_PLATFORM)];
    return [
      "",
      "Publish a first post to the Bluesky sandbox; nothing leaves this machine:",
      "",
      `  curl -s ${origin}/api/v1/upload -H "x-api-key: ${token}" \\`,
      `    -F accountId=${accountId} -F description="Hello, it is $(date +%T)"`,
      "",
      `Then look at ${origin}/sandbox, or let \`npm run demo\` do it all.`,
    ].join("\n");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `\nThe sandbox accounts could not be made. ${reason}`;
  }
}

await runProgram(main, { stopCode: 0 });
