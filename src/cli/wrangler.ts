import type { ChildProcess } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { COMPILE_CACHE, inProject, PROJECT_DIR } from "./paths.ts";
import { type Ending, runGroup, spawnTiedGroup } from "./process-group.ts";
import { Problem } from "./program.ts";

const WRANGLER = inProject("node_modules", "wrangler", "bin", "wrangler.js");

const QUIET = {
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_WRITE_LOGS: "false",
  NO_COLOR: "1",
  FORCE_COLOR: "0",
};

interface WranglerOptions {
  env?: Record<string, string>;
  /** Standard input carries secrets, which must not appear in process arguments. */
  input?: string;
}

const place = ({ env }: WranglerOptions) => ({
  cwd: PROJECT_DIR,
  env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env, ...QUIET, ...env },
});

/** Wrangler ends with this program, even after a kill. */
export const startWrangler = (
  args: string[],
  options: Pick<WranglerOptions, "env"> = {},
): ChildProcess =>
  spawnTiedGroup(process.execPath, [WRANGLER, ...args], {
    ...place(options),
    stdio: ["pipe", "pipe"],
  });

export const runWrangler = (args: string[], options: WranglerOptions = {}): Promise<Ending> =>
  runGroup(process.execPath, [WRANGLER, ...args], { ...place(options), input: options.input });

/** @throws Problem with wrangler's own message */
export async function requireWrangler(
  attempt: string,
  args: string[],
  options: WranglerOptions = {},
): Promise<string> {
  const result = await runWrangler(args, options);
  if (result.code !== 0) throw new Problem(`${attempt} failed.\n${readComplaint(result)}`);
  return result.stdout;
}

export function readColumn(output: string, heading: string): string[] {
  const lines = stripVTControlCharacters(output).split("\n");
  const rows = lines.filter((line) => line.startsWith("│"));
  const [head = [], ...cells] = rows.map((row) => row.split("│").map((cell) => cell.trim()));
  const at = head.indexOf(heading);
  return at < 0 ? [] : cells.flatMap((row) => row[at] || []);
}

const CHATTER = /^\s*$|If you think this is a bug|^\s*⛅|^─+$/;

const LOGGED_OUT = /set a CLOUDFLARE_API_TOKEN environment variable|You are not authenticated/;

export function readComplaint(result: Pick<Ending, "stdout" | "stderr">): string {
  if (LOGGED_OUT.test(result.stdout + result.stderr)) {
    return "You are not logged in to Cloudflare. Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN.";
  }
  const source = result.stderr.includes("[ERROR]") ? result.stderr : result.stdout + result.stderr;
  const lines = stripVTControlCharacters(source)
    .split("\n")
    .filter((line) => !CHATTER.test(line));
  const from = lines.findIndex((line) => line.includes("[ERROR]"));
  return lines
    .slice(Math.max(from, 0))
    .map((line) => line.replace(/^✘ \[ERROR\]\s*/, "").trim())
    .join("\n");
}
