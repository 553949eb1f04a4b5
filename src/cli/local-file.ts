import { createReadStream, fstat, type ReadStream, read, type Stats } from "node:fs";
import { open, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { promisify } from "node:util";
import { detectFileType, type FileType } from "../core/file-type.ts";
import { Problem } from "./program.ts";

export interface LocalFile extends FileType {
  /** Absolute path. */
  path: string;
  name: string;
  sizeBytes: number;
  /** Time of the last change, in epoch milliseconds. */
  changedAt: number;
  /** Open descriptor. Reads stay on this file, even when another file replaces it at the path. */
  fd?: number;
}

type Source = Pick<LocalFile, "path" | "fd">;

/** Office files need this many leading bytes for detection. */
const HEAD_BYTES = 16 * 1024;

/** npm runs scripts in the project folder and passes the caller's folder in INIT_CWD. */
const calledFrom = (env: NodeJS.ProcessEnv): string =>
  (env.npm_lifecycle_event && env.INIT_CWD) || process.cwd();

export const toPath = (input: string, env: NodeJS.ProcessEnv = process.env): string =>
  resolve(calledFrom(env), input);

/** @throws Problem for a path that is not a file, or a type that no platform takes */
export const readLocalFile = (
  input: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<LocalFile> => describeFile({ path: toPath(input, env) });

/** @throws Problem for a path that is not a file, or a type that no platform takes */
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

/**
 * Returns fewer bytes for a shorter file.
 *
 * @throws Problem for an unreadable file
 */
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

const CHUNK_BYTES = 1024 ** 2;

/** A destroyed stream must not close the descriptor of its caller. */
const keepOpen = (_fd: number, done: (error?: Error | null) => void): void => done(null);

export const openRange = ({ path, fd }: Source, offset: number, size: number): ReadStream =>
  createReadStream(path, {
    start: offset,
    end: offset + size - 1,
    highWaterMark: CHUNK_BYTES,
    ...(fd === undefined ? {} : { fd, autoClose: false, fs: { read, close: keepOpen } }),
  });

export async function isUnchanged({
  sizeBytes,
  changedAt,
  ...source
}: LocalFile): Promise<boolean> {
  const stats = await statOf(source).catch(() => null);
  return stats?.size === sizeBytes && stats.mtimeMs === changedAt;
}
