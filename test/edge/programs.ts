import { spawn } from "node:child_process";
import { inProject, PROJECT_DIR } from "../../src/cli/paths.ts";
import type { Edge } from "./start.ts";

export interface Ending {
  code: number | null;
  output: string;
}

const WRANGLER = "node_modules/wrangler/bin/wrangler.js";

/** Runs a program of the project without a terminal, against an edge in place of Cloudflare. */
export function runProject(
  { env: cloud }: Pick<Edge, "env">,
  file: string,
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<Ending> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [inProject(file), ...args], {
      cwd: PROJECT_DIR,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        AKIMBO_OWNER_EMAIL: "",
        R2_ACCESS_KEY_ID: "",
        R2_SECRET_ACCESS_KEY: "",
        WRANGLER_HIDE_BANNER: "true",
        NO_COLOR: "1",
        ...cloud,
        ...env,
      },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    child.on("close", (code) => resolve({ code, output }));
  });
}

export const runWrangler = (
  edge: Pick<Edge, "env">,
  args: string[],
  env: Record<string, string> = {},
): Promise<Ending> => runProject(edge, WRANGLER, args, env);
