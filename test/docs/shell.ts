import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface Output {
  text: string;
  errors: string;
  /** False where a command failed, which ends the session. */
  isDone: boolean;
}

/** One bash session: variables of a block are there in the blocks after it. */
export class Shell {
  private readonly bash: ChildProcess;
  private readonly folder: string;
  private readonly lines: AsyncIterator<string>;

  /** @param folder in which it runs, and keeps what the blocks print */
  constructor(folder: string, environment: Record<string, string>) {
    this.folder = folder;
    this.bash = spawn("bash", ["--noprofile", "--norc"], {
      cwd: folder,
      env: { ...process.env, INIT_CWD: undefined, ...environment },
      stdio: ["pipe", "pipe", "ignore"],
    });
    if (!this.bash.stdout) throw new Error("bash has no output.");
    this.lines = createInterface({ input: this.bash.stdout })[Symbol.asyncIterator]();
    this.bash.stdin?.write("set -euo pipefail\n");
  }

  async run(script: string): Promise<Output> {
    const out = join(this.folder, ".out");
    const err = join(this.folder, ".err");
    this.bash.stdin?.write(`{\n${script}\n} </dev/null >'${out}' 2>'${err}'\necho done\n`);
    const { value } = await this.lines.next();
    const [text, errors] = await Promise.all([readFile(out, "utf8"), readFile(err, "utf8")]);
    return { text, errors, isDone: value === "done" };
  }

  async close(): Promise<void> {
    if (this.bash.exitCode !== null) return;
    this.bash.stdin?.end();
    await once(this.bash, "exit");
  }
}
