import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { runLocalJob } from "../../src/cli/d1.ts";
import { inProject } from "../../src/cli/paths.ts";
import { growBy, growPeople, growPosts } from "./grown.ts";
import { atMost, note, type Row } from "./report.ts";
import type { Workspace } from "./workspace.ts";

const TEAMS = 200;
const POSTS_OF_TEAM = 5_000;
const MAX_SECONDS = 600;

interface Answer {
  out: string;
  seconds: number;
  /** Until the command says that it writes. */
  checked: number;
}

async function run(stateDir: string, ...args: string[]): Promise<Answer> {
  const begun = performance.now();
  const since = () => (performance.now() - begun) / 1_000;
  const child = spawn(process.execPath, [inProject("src/cli/akimbo.ts"), ...args], {
    env: { ...process.env, STATE_DIR: stateDir },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let checked = 0;
  let error = "";
  child.stderr.setEncoding("utf8").on("data", (said: string) => {
    error += said;
    if (said.includes("Writing")) checked = since();
  });
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${error}`);
  return { out, seconds: since(), checked };
}

/** Backs up an instance with a million posts by the command line, and restores it into an empty one. */
export async function measureRestore(workspace: Workspace): Promise<Row[]> {
  const folder = await workspace.folder();
  const full = join(folder, "full");
  await runLocalJob({ stateDir: full, migrations: inProject("migrations"), statements: [] });
  const now = Date.now();
  await growBy(full, (store) => {
    for (let i = 0; i < TEAMS; i++) {
      const team = { team: 1_000 + i, firstId: 1 + i * POSTS_OF_TEAM, posts: POSTS_OF_TEAM, now };
      store([...growPeople(team.team), ...growPosts(team)]);
    }
  });
  const backup = await run(full, "backup", "--to", join(folder, "backup"));
  const restored = await run(join(folder, "empty"), "restore", "--from", join(folder, "backup"));
  const [, rows = "", load = "", verify = ""] =
    /Restored (\d+) rows .* in (\d+) seconds.* checked in (\d+)/.exec(restored.out) ?? [];
  const posts = (TEAMS * POSTS_OF_TEAM).toLocaleString("en");
  const seconds = (value: number | string) => `${Math.round(Number(value))} s`;
  return [
    note(
      `backup of ${posts} posts, ${Number(rows).toLocaleString("en")} rows`,
      seconds(backup.seconds),
    ),
    atMost(`restore of ${posts} posts`, restored.seconds, MAX_SECONDS, " s"),
    note("… its files unzipped and checked", seconds(restored.checked)),
    note("… rows loaded", seconds(load)),
    note("… rows read back and compared", seconds(verify)),
  ];
}
