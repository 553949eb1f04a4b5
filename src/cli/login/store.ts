import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { SECOND } from "../../core/time.ts";
import { parseJson } from "../json.ts";
import { Problem } from "../program.ts";

type Env = NodeJS.ProcessEnv;

const login = z.object({
  /** Stays the same while its tokens are renewed. */
  id: z.string(),
  accessToken: z.string(),
  refreshToken: z.string(),
  /** Of the access token, in epoch ms. */
  expiresAt: z.number(),
  scope: z.string(),
  tokenEndpoint: z.string(),
  revocationEndpoint: z.string(),
});
export type Login = z.infer<typeof login>;

const OWNER_ONLY = 0o600;
const OWNER_ONLY_FOLDER = 0o700;

/** @see https://specifications.freedesktop.org/basedir-spec/latest/ */
export const configFolder = (env: Env): string =>
  join(env.XDG_CONFIG_HOME || join(homedir(), ".config"), "akimbo");

function loginsFolder(env: Env): string {
  const isWindows = process.platform === "win32" && env.APPDATA;
  return join(isWindows ? join(env.APPDATA ?? "", "akimbo") : configFolder(env), "logins");
}

const EXTENSION = ".json";

/** One file for each instance, so that writing one never loses another. */
export const loginPath = (origin: string, env: Env): string =>
  join(loginsFolder(env), encodeURIComponent(origin) + EXTENSION);

/** The origins with a login. */
export async function listLogins(env: Env): Promise<string[]> {
  const names = await readdir(loginsFolder(env)).catch(() => [] as string[]);
  return names
    .filter((name) => name.endsWith(EXTENSION))
    .map((name) => decodeURIComponent(name.slice(0, -EXTENSION.length)))
    .sort();
}

/**
 * Returns null without a login.
 *
 * @throws Problem for an unreadable or malformed file
 */
export async function readLogin(path: string): Promise<Login | null> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    throw new Problem(`${path} cannot be read: ${error.message}`);
  });
  if (text === null) return null;
  const { data } = login.safeParse(parseJson(text));
  if (data) return data;
  throw new Problem(`${path} does not hold a login. Remove the file, and sign in again.`);
}

/** Another process reads either the old login or the new one. */
export async function writeLogin(path: string, value: Login): Promise<void> {
  await prepareFolder(path);
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, JSON.stringify(value), { mode: OWNER_ONLY, flag: "wx" });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw new Problem(`${path} cannot be written: ${(error as Error).message}`);
  }
}

export const removeLogin = (path: string): Promise<void> => rm(path, { force: true });

const prepareFolder = (path: string) =>
  mkdir(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER });

/** Longer than anything that is done under the lock. */
const LOCK_STALE_MS = 30 * SECOND;
const LOCK_POLL_MS = 50;

/**
 * Runs `act` while no other process runs one for this login. The lock of a killed process is broken. Two processes may
 * both break it and go on: the server gives both the same tokens.
 */
export async function withLock<T>(path: string, act: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  const mark = `${process.pid} ${randomUUID()}`;
  await prepareFolder(path);
  while (!(await takeLock(lock, mark))) {
    if (await isStale(lock)) await rm(lock, { force: true });
    else await sleep(LOCK_POLL_MS);
  }
  try {
    return await act();
  } finally {
    if ((await readFile(lock, "utf8").catch(() => null)) === mark) await rm(lock, { force: true });
  }
}

async function takeLock(lock: string, mark: string): Promise<boolean> {
  try {
    await writeFile(lock, mark, { mode: OWNER_ONLY, flag: "wx" });
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Windows refuses a file that is being removed.
    if (code === "EEXIST" || (code === "EPERM" && process.platform === "win32")) return false;
    throw new Problem(`${lock} cannot be written: ${message}`);
  }
}

async function isStale(lock: string): Promise<boolean> {
  const [text, stats] = await Promise.all([
    readFile(lock, "utf8").catch(() => ""),
    stat(lock).catch(() => null),
  ]);
  if (!stats) return false;
  const ageMs = Math.abs(Date.now() - stats.mtimeMs);
  const pid = Number.parseInt(text, 10);
  return ageMs > LOCK_STALE_MS || (Number.isInteger(pid) && !isRunning(pid));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
