import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { inProject } from "../../../src/cli/paths.ts";
import { runGroup } from "../../../src/cli/process-group.ts";
import { startOf } from "../../../src/features/backup/rules.ts";
import type { Service } from "./service.ts";

export interface Restored {
  /** Of the backup. */
  id: string;
  /** When the backup began, and when the database was lost, in epoch ms. */
  backedUpAt: number;
  at: number;
  /** An event with an id below this one was in the backup: later events have higher ids. */
  firstNewEvent: string;
}

/**
 * The database is lost, and with it everything but the bucket. The simulated platforms are other people's machines and
 * go on. The last backup is restored into a new instance.
 */
export async function loseAndRestore(service: Service, stateDir: string): Promise<Restored> {
  const lost = join(service.stateDir, "v3");
  await service.kill();
  await cp(join(lost, "r2"), join(stateDir, "v3", "r2"), { recursive: true });
  const objects = (await readdir(join(lost, "do"))).filter((name) => name.includes("SandboxState"));
  for (const name of objects) {
    await cp(join(lost, "do", name), join(stateDir, "v3", "do", name), { recursive: true });
  }
  service.stateDir = stateDir;
  const list = await cli(service, "restore", "--list");
  const id = list.split("\n").find((line) => startOf(line) !== null);
  if (!id) throw new Error(`There is no backup.\n${list}`);
  console.log(await cli(service, "restore", "--from", id));
  await service.start();
  const [row] = await service.sql("SELECT max(id) AS last FROM events");
  const backedUpAt = startOf(id)?.getTime() ?? 0;
  return { id, backedUpAt, at: service.now, firstNewEvent: `${row?.last ?? ""}~` };
}

async function cli({ now, stateDir }: Service, ...args: string[]): Promise<string> {
  const clock = inProject("test", "prove", "month", "moved-date.ts");
  const program = inProject("src", "cli", "akimbo.ts");
  const options = ["--disable-warning=ExperimentalWarning", "--import", clock, program];
  const { code, stdout, stderr } = await runGroup(process.execPath, [...options, ...args], {
    cwd: inProject("."),
    env: { ...process.env, STATE_DIR: stateDir, MOVED_MS: String(now - Date.now()) },
  });
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}.\n${stdout}${stderr}`);
  return stdout;
}
