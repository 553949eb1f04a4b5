import { open, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { detectFileType, type FileType } from "../core/file-type.ts";
import { Problem } from "./program.ts";

/** A file on this machine that is to be published. */
export interface LocalFile extends FileType {
  /** Absolute. */
  path: string;
  name: string;
  sizeBytes: number;
  /** Time of the last change, in ms. */
  changedAt: number;
}

/** Leading bytes by which types are told, those of Office files too. */
const HEAD_BYTES = 16 * 1024;

/** npm runs its scripts in the project folder, and tells where it was called. */
const calledFrom = (env: NodeJS.ProcessEnv): string =>
  (env.npm_lifecycle_event && env.INIT_CWD) || process.cwd();

/** @throws Problem for what is no file, or of no type that a platform takes */
export async function readLocalFile(
  given: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<LocalFile> {
  const path = resolve(calledFrom(env), given);
  const { size: sizeBytes, mtimeMs: changedAt, ...stats } = await look(path);
  if (stats.isDirectory) throw new Problem(`${path} is a folder. Name one file.`);
  if (!stats.isFile) throw new Problem(`${path} is not a file.`);
  if (sizeBytes === 0) throw new Problem(`${path} is empty.`);
  const name = basename(path);
  const type = detectFileType(await readHead(path, HEAD_BYTES), name);
  if (!type) {
    throw new Problem(
      `${name} is not an image, video or document of a known type. Its bytes decide that, not its name.`,
    );
  }
  return { path, name, sizeBytes, changedAt, ...type };
}

async function look(path: string) {
  try {
    const stats = await stat(path);
    const { size, mtimeMs } = stats;
    return { size, mtimeMs, isFile: stats.isFile(), isDirectory: stats.isDirectory() };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Problem(
      code === "ENOENT" || code === "ENOTDIR"
        ? `There is no file ${path}.`
        : `${path} cannot be read: ${message}`,
    );
  }
}

/** Reads the first bytes of a file; fewer when it is shorter. @throws Problem */
export async function readHead(path: string, bytes: number): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const file = await open(path);
    try {
      const head = new Uint8Array(bytes);
      const { bytesRead } = await file.read(head, 0, bytes, 0);
      return head.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new Problem(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** Returns true while the file is as it was when `readLocalFile` looked at it. */
export async function isUnchanged({ path, sizeBytes, changedAt }: LocalFile): Promise<boolean> {
  const stats = await stat(path).catch(() => null);
  return stats?.size === sizeBytes && stats.mtimeMs === changedAt;
}
