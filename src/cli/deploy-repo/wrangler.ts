import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { mergeConfig, type RepoConfig } from "./config.ts";
import { readOwnConfig } from "./release.ts";

// Not `import.meta.dirname`, which the Node versions that `readOwnConfig` refuses may lack.
export const HERE = dirname(fileURLToPath(import.meta.url));
/** Git ignores this file. Each program writes it before wrangler reads it. */
export const CONFIG = join(HERE, "wrangler.deploy.json");
/** Wrangler writes the addresses of a deployment into this file. */
export const REPORT = join(HERE, ".wrangler-report");
const WRANGLER = join(HERE, "node_modules", "wrangler", "bin", "wrangler.js");

export function writeConfig(config: object): void {
  writeFileSync(CONFIG, `${JSON.stringify(config, null, 2)}\n`);
}

/** @throws Error when Node is too old, or `npm install` has not run yet */
export async function readConfig(): Promise<{ own: Partial<RepoConfig>; config: RepoConfig }> {
  const own = (await readOwnConfig(HERE)) as Partial<RepoConfig>;
  const defaults: RepoConfig = JSON.parse(
    readFileSync(join(HERE, "wrangler.defaults.json"), "utf8"),
  );
  return { own, config: mergeConfig(defaults, own) };
}

const LOGGED_OUT = /set a CLOUDFLARE_API_TOKEN environment variable|You are not authenticated/;

export interface Ending {
  code: number | null;
  stdout: string;
  /** What its errors say, from the first on. */
  complaint: string;
}

/**
 * Runs wrangler and shows its output, unless it is quiet. Its errors are shown at its end.
 *
 * @throws Error when nobody is logged in to Cloudflare
 */
export function runWrangler(args: readonly string[], isQuiet = false): Promise<Ending> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [WRANGLER, ...args], {
      cwd: HERE,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, WRANGLER_OUTPUT_FILE_PATH: REPORT },
    });
    let stdout = "";
    let errors = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      if (!isQuiet) process.stdout.write(text);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
    });
    child.on("error", reject);
    child.on("close", (code) => {
      const words = stripVTControlCharacters(errors);
      if (code !== 0 && LOGGED_OUT.test(stdout + words)) {
        reject(
          new Error(
            "You are not logged in to Cloudflare. Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN.",
          ),
        );
        return;
      }
      if (!isQuiet) process.stderr.write(errors);
      const complaint = words.slice(Math.max(words.indexOf("[ERROR]"), 0));
      resolve({ code, stdout, complaint });
    });
  });
}
