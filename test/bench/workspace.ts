import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The processes and folders of a bench run: stopped in reverse order, and removed at the end. */
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
