import { rm } from "node:fs/promises";

/**
 * Runs a program of the folder. An error is said in one line, and ends it with code 1.
 *
 * @param leftover path of what the program leaves behind
 */
export async function runInFolder(
  main: () => Promise<number>,
  { leftover }: { leftover: string },
): Promise<void> {
  try {
    process.exitCode = await main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  } finally {
    await rm(leftover, { recursive: true, force: true });
  }
}
