import { Command } from "commander";
import { PLATFORMS } from "../core/platforms.ts";
import { createApi, ensureSandboxAccounts } from "./api.ts";
import { startInstance } from "./local-instance.ts";
import { readStateDir, showPath } from "./paths.ts";
import { runProgram } from "./program.ts";
import { readDemoTokenVariable } from "./seed.ts";
import { readPort, type Server, toProblem } from "./server.ts";
import { runSchedule, startTicker } from "./ticker.ts";
import { parseVarOptions } from "./vars.ts";

const FIRST_PLATFORM = "bluesky";

async function main(stopping: AbortSignal): Promise<number> {
  const vars = { ENVIRONMENT: "development", ...parseVarOptions(readOptions()) };
  const { server, config, health, token, signInPath } = await startInstance({
    vars,
    port: readPort(),
    stateDir: readStateDir(),
    chosenToken: readDemoTokenVariable(process.env),
  });
  const { sandboxEnabled, publicUrl, clockOffsetSeconds } = config;
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
  if (health.status !== "ok") {
    console.error(`\nIts health is ${health.status}. ${health.error ?? ""}`.trimEnd());
  }
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
    .addHelpText(
      "after",
      "\nPORT (8797) and STATE_DIR (.wrangler/state) in the environment choose the port and the folder of its data.",
    )
    .parse();
  return program.opts<{ var: string[] }>().var;
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
