import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import type { Host, Source } from "./connection.ts";
import { parseJson } from "./json.ts";
import { configFolder } from "./login/store.ts";
import { Problem } from "./program.ts";

type Env = NodeJS.ProcessEnv;

/** @see https://specifications.freedesktop.org/basedir-spec/latest/ */
const configPath = (env: Env): string => join(configFolder(env), "config.json");
const stateFolder = (env: Env): string =>
  join(env.XDG_STATE_HOME || join(homedir(), ".local", "state"), "akimbo");

export const PACKAGED: Host = {
  command: "akimbo",
  uploadsFolder: (env) => join(stateFolder(env), "uploads"),
  findInstance: (env) => readConfig(configPath(env)),
  whereInstance: `those of ${configPath(process.env)}:\n  {"url": "https://…", "token": "kmb_…"}`,
  advice:
    "Set AKIMBO_URL and AKIMBO_TOKEN, or pass --url and --token, or write " +
    `{"url": "https://…", "token": "kmb_…"} to ${configPath(process.env)}.`,
};

const config = z.strictObject({ url: z.string().optional(), token: z.string().optional() });

const OTHERS = 0o077;

/**
 * Returns an empty source when there is no file.
 *
 * @throws Problem for an unreadable or malformed file
 */
async function readConfig(path: string): Promise<Source> {
  const remedy = `Check url in ${path}.`;
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    throw new Problem(`${path} cannot be read: ${error.message}`);
  });
  if (text === null) return { remedy };
  const { data } = config.safeParse(parseJson(text));
  if (!data) throw new Problem(`${path} must be {"url": "https://…", "token": "kmb_…"}.`);
  if (data.token && process.platform !== "win32") {
    const { mode } = await stat(path);
    if (mode & OTHERS) console.error(`Others can read your token: chmod 600 ${path}`);
  }
  return { ...data, remedy };
}
