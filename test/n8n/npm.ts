import { existsSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import { runGroup } from "../../src/cli/process-group.ts";

/** Where a distribution keeps Node's headers, so that nothing else has to be fetched to compile SQLite. */
const HEADERS = "/usr";

/** Without the variables of the npm that runs the tests, and with the Node that runs them. */
export function plainEnv(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("npm_"));
  const headers = existsSync(`${HEADERS}/include/node/node_api.h`)
    ? { npm_config_nodedir: HEADERS }
    : {};
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  return { ...Object.fromEntries(own), ...headers, PATH: path, ...more };
}

/** The output of npm. Throws with all of it when npm fails. */
export async function runNpm(folder: string, args: string[]): Promise<string> {
  const options = ["--no-audit", "--no-fund", "--loglevel=error"];
  const { code, stdout, stderr } = await runGroup("npm", [...args, ...options], {
    cwd: folder,
    env: plainEnv(),
  });
  if (code !== 0) throw new Error(`npm ${args.join(" ")} ends with ${code}:\n${stdout}\n${stderr}`);
  return stdout;
}
