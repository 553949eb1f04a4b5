import { close, constants, fstat, open } from "node:fs";
import { lstat, readlink, realpath, stat } from "node:fs/promises";
import { isAbsolute, resolve, sep } from "node:path";
import { promisify } from "node:util";
import { describeFile, type LocalFile, toPath } from "../local-file.ts";
import { Problem } from "../program.ts";

/** `realPath` contains no symbolic links. */
export interface AllowedFolder {
  path: string;
  realPath: string;
}

/** @throws Problem for a path that is not a folder */
export function readAllowedFolders(inputs: readonly string[]): Promise<AllowedFolder[]> {
  return Promise.all(
    inputs.map(async (one) => {
      const path = toPath(one);
      const stats = await stat(path).catch(() => null);
      if (!stats?.isDirectory()) throw new Problem(`--allow ${one}: there is no such folder.`);
      return { path, realPath: await realpath(path) };
    }),
  );
}

export type OpenFile = LocalFile & { fd: number };

export const closeFile = ({ fd }: Pick<OpenFile, "fd">): Promise<void> => promisify(close)(fd);

const DESCRIPTORS = "/proc/self/fd";

/** O_NONBLOCK opens a FIFO without waiting for its other end. */
const READ_AT_ONCE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Checks and reads use the same open file, so replacing it with a link has no effect.
 *
 * @param input absolute, or relative to the first folder
 * @throws Problem for a file outside the folders, or not media
 */
export async function openAllowed(
  input: string,
  folders: readonly AllowedFolder[],
  descriptors = DESCRIPTORS,
): Promise<OpenFile> {
  const path = isAbsolute(input) ? resolve(input) : resolve(folders[0]?.path ?? ".", input);
  // The refusal does not reveal whether a file outside exists.
  if (!folders.some((one) => isWithin(one.path, path) || isWithin(one.realPath, path))) {
    throw outside(input, folders);
  }
  const fd = await promisify(open)(path, READ_AT_ONCE).catch(({ code, message }) => {
    throw new Problem(
      code === "ENOENT" || code === "ENOTDIR"
        ? `There is no file ${input}.`
        : `${input} cannot be read: ${message}`,
    );
  });
  try {
    const realPath = await findRealPath(fd, path, descriptors);
    if (realPath === null || !folders.some((one) => isWithin(one.realPath, realPath))) {
      throw outside(input, folders);
    }
    return { ...(await describeFile({ path: realPath, fd })), fd };
  } catch (error) {
    await closeFile({ fd });
    throw error;
  }
}

const isWithin = (folder: string, path: string): boolean =>
  path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

function outside(input: string, folders: readonly AllowedFolder[]): Problem {
  const list = folders.map(({ path }) => path).join(", ");
  return new Problem(
    `${input} is outside the folders that may be published from: ${list}. ` +
      "Move the file there, or let your user start `akimbo mcp` with --allow and its folder.",
  );
}

/** Returns null when the path of the open file is uncertain. */
async function findRealPath(fd: number, path: string, descriptors: string): Promise<string | null> {
  const openPath = await readlink(`${descriptors}/${fd}`).catch(() => null);
  if (openPath !== null) return openPath;
  // Without /proc, the path is certain only if its form without links leads to the open file.
  const real = await realpath(path).catch(() => null);
  if (real === null) return null;
  const [opened, there] = await Promise.all([
    promisify(fstat)(fd, { bigint: true }),
    lstat(real, { bigint: true }).catch(() => null),
  ]);
  const isSame = there !== null && opened.dev === there.dev && opened.ino === there.ino;
  return isSame && (await realpath(real).catch(() => null)) === real ? real : null;
}
