import { randomUUID } from "node:crypto";
import { lstat, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
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

/** @throws Problem */
export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true }).catch((error: Error) => {
    throw new Problem(`${path} cannot be removed: ${error.message}`);
  });
}

async function prepareFolder(path: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: OWNER_ONLY_FOLDER }).catch((error: Error) => {
    throw new Problem(`The folder ${folder} cannot be made: ${error.message}`);
  });
}

const OTHERS_WRITE = 0o022;

/**
 * Finds out before a sign-in whether its login can be written. Returns a warning when others could change it.
 *
 * @throws Problem when it cannot be written
 */
export async function prepareLogin(path: string): Promise<string | null> {
  await withLock(path, () => refuseFolder(path));
  const folder = dirname(path);
  const { mode } = await stat(folder);
  if (process.platform === "win32" || (mode & OTHERS_WRITE) === 0) return null;
  return `Others may write to ${folder}, where your logins are. Keep it to yourself: chmod 700 "${folder}"`;
}

async function refuseFolder(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => null);
  if (stats?.isDirectory()) throw new Problem(`${path} is a folder. Remove it, and try again.`);
}

/** Longer than anything that is done under the lock. */
const LOCK_STALE_MS = 30 * SECOND;
const LOCK_POLL_MS = 50;

/**
 * Runs `act` while no other process runs one for this login. The lock of a killed process is broken. Two processes may
 * both break it and go on: the server gives both the same tokens.
 *
 * @throws Problem when the lock can be neither taken nor removed
 */
export async function withLock<T>(path: string, act: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  const mark = `${process.pid} ${randomUUID()}`;
  await prepareFolder(path);
  while (!(await takeLock(lock, mark))) {
    await refuseFolder(lock);
    if (await isStale(lock)) await removeFile(lock);
    else await sleep(LOCK_POLL_MS);
  }
  try {
    return await act();
  } finally {
    if ((await readFile(lock, "utf8").catch(() => null)) === mark) await removeFile(lock);
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
    lstat(lock).catch(() => null),
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
