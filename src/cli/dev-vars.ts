import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { appendFile, link, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import {
  createOwnKeys,
  missingKeys,
  OWN_KEY_NAMES,
  type OwnKeyName,
  type OwnKeys,
} from "../core/instance-keys.ts";
import { Problem } from "./program.ts";
import type { Vars } from "./vars.ts";

export const OWNER_ONLY = 0o600;

/** JSON values need quotes in the file. */
const toLines = (keys: OwnKeys, names: readonly OwnKeyName[]): string[] =>
  names.map((name) => `${name}=${keys[name].startsWith("{") ? `'${keys[name]}'` : keys[name]}`);

/** @throws Problem where fresh keys could not read what is stored */
export function requireOwnKeys(path: string, stateDir: string): void {
  if (existsSync(path) || !existsSync(join(stateDir, "v3", "d1"))) return;
  throw new Problem(
    `${stateDir} has data of an Akimbo, but its keys are not here: fresh ones could not read its logins. Copy .dev.vars from the folder that the data comes from, or choose an empty STATE_DIR.`,
  );
}

/**
 * Existing values are never replaced. Returns a sentence about the change, or null.
 *
 * @param elsewhere variables of other sources, which the file would override
 */
export async function ensureDevVars(path: string, elsewhere: Vars = {}): Promise<string | null> {
  if (await createDevVars(path)) return "Created .dev.vars with fresh keys.";
  const here: Vars = await readDevVars(path);
  const given = [elsewhere, here].flatMap(Object.entries).filter(([, value]) => value !== "");
  const missing = missingKeys(Object.fromEntries(given));
  if (missing.length === 0) return null;
  await appendFile(path, `\n${toLines(await createOwnKeys(), missing).join("\n")}\n`);
  return `Added ${missing.join(", ")} to .dev.vars, where there was none.`;
}

/** @returns false when another process created the file first */
async function createDevVars(path: string): Promise<boolean> {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  const text = [
    "# Secrets of this machine's Akimbo, read by `npm start`. Every setting: .dev.vars.example",
    "# Keep ENCRYPTION_KEYS: connected accounts cannot be read without it.",
    ...toLines(await createOwnKeys(), OWN_KEY_NAMES),
    "",
  ].join("\n");
  await writeFile(draft, text, { mode: OWNER_ONLY, flag: "wx" });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft);
  }
}

export async function readDevVars(path: string): Promise<Record<string, string>> {
  const parsed = parseEnv(await readFile(path, "utf8"));
  return Object.fromEntries(
    Object.entries(parsed).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
