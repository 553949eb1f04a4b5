import { generateKeyPairSync, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { appendFile, link, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { INSTANCE_KEY_NAMES } from "../config.ts";
import { Problem } from "./program.ts";
import type { Vars } from "./vars.ts";

export const createEncryptionKeys = (): string => `k1:${randomBytes(32).toString("base64")}`;
export const createSigningKey = (): string => randomBytes(32).toString("hex");

export function createInstanceKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return JSON.stringify({
    ...privateKey.export({ format: "jwk" }),
    kid: randomBytes(8).toString("hex"),
  });
}

export function createVapidKeys(): Record<VapidName, string> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "", d = "" } = privateKey.export({ format: "jwk" });
  const coordinates = [x, y].map((text) => Buffer.from(text, "base64url"));
  const point = Buffer.concat([UNCOMPRESSED, ...coordinates]);
  return { VAPID_PUBLIC_KEY: point.toString("base64url"), VAPID_PRIVATE_KEY: d };
}

const VAPID_NAMES = ["VAPID_PUBLIC_KEY", "VAPID_PRIVATE_KEY"] as const;
type VapidName = (typeof VAPID_NAMES)[number];
const UNCOMPRESSED = Buffer.of(4);

export const OWNER_ONLY = 0o600;

/** JSON values need quotes in the file. */
const generateAll = (): Vars => ({
  ENCRYPTION_KEYS: createEncryptionKeys(),
  SIGNING_KEY: createSigningKey(),
  ...Object.fromEntries(INSTANCE_KEY_NAMES.map((name) => [name, `'${createInstanceKey()}'`])),
  ...createVapidKeys(),
});

const linesOf = (names: readonly string[]): string[] => {
  const values = generateAll();
  return names.map((name) => `${name}=${values[name]}`);
};

const NAMES = Object.keys(generateAll());

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
  const isSet = (name: string) => Boolean(here[name] || elsewhere[name]);
  // A key pair's missing half is not generated, because it could not match the other half.
  const isHalf = (name: string) =>
    VAPID_NAMES.some((one) => one === name) && VAPID_NAMES.some(isSet);
  const missing = NAMES.filter((name) => !isSet(name) && !isHalf(name));
  if (missing.length === 0) return null;
  await appendFile(path, `\n${linesOf(missing).join("\n")}\n`);
  return `Added ${missing.join(", ")} to .dev.vars, where there was none.`;
}

/** @returns false when another process created the file first */
async function createDevVars(path: string): Promise<boolean> {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  const text = [
    "# Secrets of this machine's Akimbo, read by `npm start`. Every setting: .dev.vars.example",
    "# Keep ENCRYPTION_KEYS: connected accounts cannot be read without it.",
    ...linesOf(NAMES),
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
