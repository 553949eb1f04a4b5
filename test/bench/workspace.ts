import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What the bench starts and writes: stopped in reverse order, and no folder outlives the program. */
export class Workspace {
  private readonly cleanups: (() => Promise<void>)[] = [];

  onEnd(cleanup: () => Promise<void>): void {
    this.cleanups.push(cleanup);
  }

  async folder(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), "akimbo-bench-"));
    process.on("exit", () => rmSync(path, { recursive: true, force: true }));
    return path;
  }

  async end(): Promise<void> {
    for (const cleanup of this.cleanups.splice(0).reverse()) {
      await cleanup().catch((error: unknown) => console.error(error));
    }
  }
}
