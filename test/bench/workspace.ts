import { existsSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A disk in memory, where a machine has one. */
const MEMORY = "/dev/shm";

/** The processes and folders of a bench run: stopped in reverse order, and removed at the end. */
export class Workspace {
  private readonly cleanups: (() => Promise<void>)[] = [];

  onEnd(cleanup: () => Promise<void>): void {
    this.cleanups.push(cleanup);
  }

  folder(): Promise<string> {
    return this.folderIn(tmpdir());
  }

  /** For databases: what syncing them to a disk costs is the machine's, and differs from one to the next. */
  memoryFolder(): Promise<string> {
    return this.folderIn(existsSync(MEMORY) ? MEMORY : tmpdir());
  }

  private async folderIn(parent: string): Promise<string> {
    const path = await mkdtemp(join(parent, "akimbo-bench-"));
    process.on("exit", () => rmSync(path, { recursive: true, force: true }));
    return path;
  }

  async end(): Promise<void> {
    for (const cleanup of this.cleanups.splice(0).reverse()) {
      await cleanup().catch((error: unknown) => console.error(error));
    }
  }
}
