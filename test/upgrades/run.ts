/**
 * Runs the tests of an earlier state's doors, with its own script, on today's schema: during a gradual deployment both
 * scripts work on one database. Usage: npm run test:upgrades [-- COMMIT]
 */
import { once } from "node:events";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { Command } from "commander";
import { inProject } from "../../src/cli/paths.ts";
import { runGroup, spawnGroup } from "../../src/cli/process-group.ts";
import { Problem, runProgram } from "../../src/cli/program.ts";
import { requireCommit, withCheckout } from "./checkout.ts";
import { STATES } from "./states.ts";

/** Tests of the doors: HTTP, pages, MCP, queues and cron over the real database. */
const DOORS = [
  "test/features/",
  "test/http/",
  "test/mcp/",
  "test/cron/",
  "test/spec/permissions.test.ts",
  "test/spec/page-permissions.test.ts",
  "test/spec/errors.test.ts",
  "test/spec/transitions.test.ts",
  "test/spec/routes.test.ts",
];

const DELETION = "test/features/leaving/deletion.test.ts";

/** Tests of these folders and files say nothing about a script on a newer schema. */
const LEFT_OUT: Record<string, string> = {
  "test/db/": "compares the schema with the tables of the code, which do not know what is new",
  "test/spec/ (other files)": "reads source texts",
  "test/costs/": "counts rows, of which a new index writes more",
  "test/core/, test/platforms/, test/sandbox/": "needs no database of ours",
  [DELETION]: "requires a row in every table that has a team, also in those that are new",
  "*.long.test.ts": "repeats what these tests do, with full loads",
};

async function main(): Promise<number> {
  const command = new Command("npm run test:upgrades --")
    .description("Runs the tests of an earlier state's doors on today's schema.")
    .argument(
      "[commit]",
      "the state; default: the newest of test/upgrades/states.ts with fewer migrations than today",
    )
    .option("--only <paths...>", "the tests of these files or folders of that commit alone")
    .parse();
  const { only = DOORS } = command.opts<{ only?: string[] }>();
  const commit = command.args[0] ?? (await newestBehind());
  await requireCommit(commit);
  for (const [what, why] of Object.entries(LEFT_OUT)) console.log(`Left out: ${what}: ${why}.`);
  return withCheckout(commit, (folder) => testOnToday(commit, folder, only));
}

async function hasTodaysMigrations(commit: string): Promise<boolean> {
  const git = (...args: string[]) => runGroup("git", args, { cwd: inProject(".") });
  const { code } = await git("diff", "--quiet", commit, "--", "migrations");
  const { stdout } = await git("ls-files", "--others", "--exclude-standard", "migrations");
  return code === 0 && stdout === "";
}

async function newestBehind(): Promise<string> {
  for (const { commit } of STATES.toReversed()) {
    await requireCommit(commit);
    if (!(await hasTodaysMigrations(commit))) return commit;
  }
  throw new Problem("No state of test/upgrades/states.ts has another schema than today's.");
}

async function testOnToday(commit: string, folder: string, paths: string[]): Promise<number> {
  await rm(join(folder, "migrations"), { recursive: true });
  await cp(inProject("migrations"), join(folder, "migrations"), { recursive: true });
  const node = join(folder, "node_modules/.bin/node");
  const env = { ...process.env, PATH: `${join(folder, "node_modules/.bin")}:${process.env.PATH}` };
  const assets = await runGroup(node, ["src/cli/assets.ts"], { cwd: folder, env });
  if (assets.code !== 0) throw new Problem(`The assets were not built.\n${assets.stderr}`);
  console.log(`The tests of ${commit}'s doors, on the schema of today:`);
  const child = spawnGroup(
    node,
    [
      join(folder, "node_modules/vitest/vitest.mjs"),
      ...["run", "--config", "test/vitest.config.ts", "--maxWorkers=2"],
      ...[
        "--exclude=**/*.long.test.ts",
        `--exclude=${DELETION}`,
        "--hookTimeout=60000",
        "--testTimeout=60000",
      ],
      ...paths,
    ],
    { cwd: folder, env, stdio: "inherit" },
  );
  const [code] = await once(child, "exit");
  return code ?? 1;
}

await runProgram(main);
