import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runProgram } from "../../src/cli/program.ts";
import { requireWrangler } from "../../src/cli/wrangler.ts";
import { playBrokenUploads } from "./broken-uploads.ts";
import { playDisconnects } from "./disconnects.ts";
import { playFigures } from "./figures.ts";
import { FULL, MIB, SHORT } from "./forms.ts";
import { playHostileCallers } from "./hostile-callers.ts";
import { playKills } from "./kills.ts";
import { playLarge } from "./large.ts";
import { playLoads } from "./loads.ts";
import { playMonth } from "./month.ts";
import { playThreads } from "./threads.ts";
import { Verdicts } from "./verdicts.ts";
import { playWebhooks } from "./webhooks.ts";
import { playWorlds } from "./worlds.ts";

/** Parts that take long, or whose figures want a machine that does nothing else. */
const ON_REQUEST = new Set(["threads", "large", "webhooks", "loads"]);

const MONTH = { days: "31", teams: "200", posts: "24" };

/**
 * `--full`: as before a release; no other form has the threads, the large file, the webhooks and the loads, unless one
 * is asked for. `--seed N`: the same again. `--threads`: short for `--only threads`.
 * `--only worlds|figures|kills|files|clients|hostile|threads|large|webhooks|loads`: one part.
 * `--mebibytes N`: another large file. `--month`: a month of many teams in moved time, and nothing else; `--days N`, `--teams N`
 * and `--posts N` an hour make a smaller one.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      full: { type: "boolean" },
      seed: { type: "string" },
      only: { type: "string" },
      threads: { type: "boolean" },
      mebibytes: { type: "string" },
      month: { type: "boolean" },
      days: { type: "string", default: MONTH.days },
      teams: { type: "string", default: MONTH.teams },
      posts: { type: "string", default: MONTH.posts },
    },
  });
  const only = values.threads ? "threads" : values.only;
  const form = values.full ? FULL : SHORT;
  if (values.mebibytes) form.large.sizeBytes = Number(values.mebibytes) * MIB;
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  const startedAt = performance.now();
  const folder = await mkdtemp(join(tmpdir(), "akimbo-prove-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const verdicts = new Verdicts();
  console.log(`Proving that every post goes out once. Seed ${seed}: --seed ${seed} repeats it.`);
  if (values.month) {
    const [days = 0, teams = 0, postsPerHour = 0] = [values.days, values.teams, values.posts].map(
      Number,
    );
    await playMonth({ folder, seed, verdicts, days, teams, postsPerHour });
    return verdicts.close();
  }
  const entry = join("test", "prove", "worker.ts");
  await requireWrangler("Building", ["deploy", entry, "--dry-run", "--outdir", folder]);
  const proof = { script: join(folder, "worker.js"), folder, seed, form, verdicts };
  const plays = {
    worlds: playWorlds,
    figures: playFigures,
    kills: playKills,
    files: playBrokenUploads,
    clients: playDisconnects,
    hostile: playHostileCallers,
    large: playLarge,
    threads: playThreads,
    webhooks: playWebhooks,
    loads: playLoads,
  };
  for (const [part, play] of Object.entries(plays)) {
    const isWanted = values.full || !ON_REQUEST.has(part);
    if (only === undefined ? !isWanted : only !== part) continue;
    await play(proof).catch((error: Error) => {
      verdicts.check(`${part} to its end`, false, [error.stack ?? error.message]);
    });
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  console.log(`\nSeed ${seed}, ${seconds.toFixed(0)} s`);
  return verdicts.close();
}

await runProgram(main);
