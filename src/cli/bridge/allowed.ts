import { close, constants, fstat, open } from "node:fs";
import { lstat, readlink, realpath, stat } from "node:fs/promises";
import { isAbsolute, resolve, sep } from "node:path";
import { promisify } from "node:util";
import { describeFile, type LocalFile, toPath } from "../local-file.ts";
import { Problem } from "../program.ts";

/** A folder whose files may be published, as it was named and as it is. */
export interface AllowedFolder {
  path: string;
  realPath: string;
}

/** @throws Problem for what is no folder */
export function readAllowedFolders(given: readonly string[]): Promise<AllowedFolder[]> {
  return Promise.all(
    given.map(async (one) => {
      const path = toPath(one);
      const stats = await stat(path).catch(() => null);
      if (!stats?.isDirectory()) throw new Problem(`--allow ${one}: there is no such folder.`);
      return { path, realPath: await realpath(path) };
    }),
  );
}

/** A file that is open until its descriptor is closed. */
export type OpenFile = LocalFile & { fd: number };

export const closeFile = ({ fd }: Pick<OpenFile, "fd">): Promise<void> => promisify(close)(fd);

/** Where Linux keeps the paths of open files. */
const DESCRIPTORS = "/proc/self/fd";

/** A FIFO in the place of a file is opened without waiting for its other end. */
const READ_AT_ONCE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file that is in one of the folders. The checks look at the open file, and the bytes are read from the same
 * open file, so replacing it with a link after the check has no effect.
 *
 * @param given absolute, or from the first of the folders
 * @throws Problem for a file outside, for a link that leads there, and for a file that is not media
 */
export async function openAllowed(
  given: string,
  folders: readonly AllowedFolder[],
  descriptors = DESCRIPTORS,
): Promise<OpenFile> {
  const path = isAbsolute(given) ? resolve(given) : resolve(folders[0]?.path ?? ".", given);
  // Nothing is said about files elsewhere, not even that they exist.
  if (!folders.some((one) => isWithin(one.path, path) || isWithin(one.realPath, path))) {
    throw outside(given, folders);
  }
  const fd = await promisify(open)(path, READ_AT_ONCE).catch(({ code, message }) => {
    throw new Problem(
      code === "ENOENT" || code === "ENOTDIR"
        ? `There is no file ${given}.`
        : `${given} cannot be read: ${message}`,
    );
  });
  try {
    const realPath = await findRealPath(fd, path, descriptors);
    if (realPath === null || !folders.some((one) => isWithin(one.realPath, realPath))) {
      throw outside(given, folders);
    }
    return { ...(await describeFile({ path: realPath, fd })), fd };
  } catch (error) {
    await closeFile({ fd });
    throw error;
  }
}

const isWithin = (folder: string, path: string): boolean =>
  path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

function outside(given: string, folders: readonly AllowedFolder[]): Problem {
  const list = folders.map(({ path }) => path).join(", ");
  return new Problem(
    `${given} is outside the folders that may be published from: ${list}. ` +
      "Move the file there, or let your user start `akimbo mcp` with --allow and its folder.",
  );
}

/** Finds where the open file stands; null when that cannot be said for sure. */
async function findRealPath(fd: number, path: string, descriptors: string): Promise<string | null> {
  // Linux knows it of the descriptor itself.
  const known = await readlink(`${descriptors}/${fd}`).catch(() => null);
  if (known !== null) return known;
  // Elsewhere, what stands at the path without any link has to be the same file.
  const real = await realpath(path).catch(() => null);
  if (real === null) return null;
  const [opened, there] = await Promise.all([
    promisify(fstat)(fd, { bigint: true }),
    lstat(real, { bigint: true }).catch(() => null),
  ]);
  const isSame = there !== null && opened.dev === there.dev && opened.ino === there.ino;
  return isSame && (await realpath(real).catch(() => null)) === real ? real : null;
}
