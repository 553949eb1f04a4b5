import { createReadStream, fstat, type ReadStream, read, type Stats } from "node:fs";
import { open, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { promisify } from "node:util";
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
  /** An open descriptor: what is read is this file, whatever comes to stand at the path. */
  fd?: number;
}

/** A file by its path, or by a descriptor that is open. */
type Source = Pick<LocalFile, "path" | "fd">;

/** Leading bytes by which types are known, those of Office files too. */
const HEAD_BYTES = 16 * 1024;

/** npm runs its scripts in the project folder, and tells where it was called. */
const calledFrom = (env: NodeJS.ProcessEnv): string =>
  (env.npm_lifecycle_event && env.INIT_CWD) || process.cwd();

/** The absolute path of a file as a person named it. */
export const toPath = (given: string, env: NodeJS.ProcessEnv = process.env): string =>
  resolve(calledFrom(env), given);

/** @throws Problem for what is no file, or of no type that a platform takes */
export const readLocalFile = (
  given: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<LocalFile> => describeFile({ path: toPath(given, env) });

/** @throws Problem for what is no file, or of no type that a platform takes */
export async function describeFile(source: Source): Promise<LocalFile> {
  const { path } = source;
  const { size: sizeBytes, mtimeMs: changedAt, ...stats } = await look(source);
  if (stats.isDirectory) throw new Problem(`${path} is a folder. Name one file.`);
  if (!stats.isFile) throw new Problem(`${path} is not a file.`);
  if (sizeBytes === 0) throw new Problem(`${path} is empty.`);
  const name = basename(path);
  const type = detectFileType(await readHead(source, HEAD_BYTES), name);
  if (!type) {
    throw new Problem(
      `${name} is not an image, video or document of a known type. Its bytes decide that, not its name.`,
    );
  }
  return { ...source, name, sizeBytes, changedAt, ...type };
}

const statOf = ({ path, fd }: Source): Promise<Stats> =>
  fd === undefined ? stat(path) : promisify(fstat)(fd);

async function look(source: Source) {
  const { path } = source;
  try {
    const stats = await statOf(source);
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
export async function readHead(source: Source, bytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const head = new Uint8Array(bytes);
  const readFrom = (fd: number) => promisify(read)(fd, head, 0, bytes, 0);
  try {
    if (source.fd !== undefined) return head.subarray(0, (await readFrom(source.fd)).bytesRead);
    const file = await open(source.path);
    try {
      return head.subarray(0, (await readFrom(file.fd)).bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new Problem(`${source.path} cannot be read: ${(error as Error).message}`);
  }
}

/** Read in pieces of this size: smaller ones cost more time, and larger ones memory. */
const CHUNK_BYTES = 1024 ** 2;

/** A stream that is destroyed would close the descriptor of others, or one that has its number by then. */
const keepOpen = (_fd: number, done: (error?: Error | null) => void): void => done(null);

/** Streams a range of a file. */
export const openRange = ({ path, fd }: Source, offset: number, size: number): ReadStream =>
  createReadStream(path, {
    start: offset,
    end: offset + size - 1,
    highWaterMark: CHUNK_BYTES,
    ...(fd === undefined ? {} : { fd, autoClose: false, fs: { read, close: keepOpen } }),
  });

/** Returns true while the file is as it was when it was described. */
export async function isUnchanged({
  sizeBytes,
  changedAt,
  ...source
}: LocalFile): Promise<boolean> {
  const stats = await statOf(source).catch(() => null);
  return stats?.size === sizeBytes && stats.mtimeMs === changedAt;
}
