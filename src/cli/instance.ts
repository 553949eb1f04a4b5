import { readStateDir } from "./paths.ts";
import { Problem } from "./program.ts";
import { findDemoToken, readDemoTokenVariable } from "./seed.ts";
import { readPort } from "./server.ts";

/** The address of the instance that the API commands talk to: AKIMBO_URL, else the local server. */
export const readOrigin = (env: NodeJS.ProcessEnv = process.env): string =>
  env.AKIMBO_URL?.replace(/\/+$/, "") || `http://localhost:${readPort(env)}`;

/**
 * The token for that instance: AKIMBO_TOKEN, else that of the local demo workspace.
 *
 * @throws Problem when there is none
 */
export async function readToken(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const { AKIMBO_URL: url, AKIMBO_TOKEN: given } = env;
  if (given) return given;
  if (url) throw new Problem("AKIMBO_URL needs AKIMBO_TOKEN too: a token of that server.");
  const token = readDemoTokenVariable(env) ?? (await findDemoToken(readStateDir(env)));
  if (!token) {
    throw new Problem(
      "There is no demo workspace here. Set AKIMBO_TOKEN to a token of your own, " +
        "or let STATE_DIR name the folder the server was started with.",
    );
  }
  return token;
}
