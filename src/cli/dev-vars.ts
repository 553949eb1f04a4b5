import { randomBytes } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { parseEnv } from "node:util";

export const createEncryptionKeys = (): string => `k1:${randomBytes(32).toString("base64")}`;
export const createSigningKey = (): string => randomBytes(32).toString("hex");

export const OWNER_ONLY = 0o600;

/**
 * Creates the file with fresh keys unless it exists; true when it was created. The file appears whole
 * or not at all, and whoever comes second keeps the first one's.
 */
export async function ensureDevVars(path: string): Promise<boolean> {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  const text = [
    "# Secrets of this machine's Akimbo, read by `npm start`. Every setting: .dev.vars.example",
    "# Keep ENCRYPTION_KEYS: connected accounts cannot be read without it.",
    `ENCRYPTION_KEYS=${createEncryptionKeys()}`,
    `SIGNING_KEY=${createSigningKey()}`,
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
