import { runProgram } from "../../src/cli/program.ts";
import { measureAbuse } from "./abuse.ts";
import { buildBundle, bundleRows } from "./bundle.ts";
import { countCosts } from "./counted.ts";
import { measureDuePosts } from "./due-posts.ts";
import { measureFullSize } from "./full-size.ts";
import { measureIntake } from "./intake.ts";
import { measureLateness } from "./lateness.ts";
import { canMeasureCpu } from "./process-cost.ts";
import { FILM_TO_TIKTOK, FILM_TO_X, LONGEST_TO_TIKTOK, measureRelay } from "./relay.ts";
import { printTable, printVerdict, type Row, skipped } from "./report.ts";
import { measureRequests } from "./requests.ts";
import { measureStartUp } from "./start-up.ts";
import { Workspace } from "./workspace.ts";

const NO_PROC = "CPU is read from /proc, which this machine does not have";

const THOROUGH = {
  starts: 7,
  effort: { rounds: 5, seconds: 3, posts: 600 },
  sizes: { small: 1_000, large: 200_000, others: 1_000_000 },
  due: 100_000,
  films: [FILM_TO_X, LONGEST_TO_TIKTOK],
};
const QUICK: typeof THOROUGH = {
  starts: 3,
  effort: { rounds: 2, seconds: 1, posts: 200 },
  sizes: { small: 1_000, large: 20_000, others: 100_000 },
  due: 10_000,
  films: [FILM_TO_X, FILM_TO_TIKTOK],
};

/** Measures and prints; a bar that is missed is told, and is no failure of the program. */
async function main(): Promise<number> {
  const { starts, effort, sizes, due, films } = process.argv.includes("--quick") ? QUICK : THOROUGH;
  const workspace = new Workspace();
  const all: Row[] = [];
  const show = (title: string, rows: Row[]) => {
    printTable(title, rows);
    all.push(...rows);
  };
  try {
    const bundle = await buildBundle(workspace);
    show("Size and start", [
      ...(await bundleRows(bundle)),
      ...(canMeasureCpu
        ? await measureStartUp(workspace, bundle, starts)
        : [skipped("start-up", NO_PROC)]),
    ]);
    show("Counted costs", await countCosts(workspace));
    show(
      "CPU of one call, 16 connections, lowest of the rounds",
      canMeasureCpu
        ? await measureRequests(workspace, bundle.script, effort)
        : [skipped("GET /upload, POST /upload", NO_PROC)],
    );
    if (canMeasureCpu) {
      show("Files taken in", await measureIntake(workspace, bundle.script));
      show("Hostile bodies", await measureAbuse(workspace, bundle.script));
      for (const film of films) {
        show(
          `A file passed on to ${film.name}`,
          await measureRelay(workspace, bundle.script, film),
        );
      }
      show("Due posts", [
        ...(await measureDuePosts(workspace, bundle.script, due)),
        ...(await measureLateness(workspace, bundle.script, 100)),
        ...(await measureLateness(workspace, bundle.script, 1_000)),
      ]);
    }
    show("A page of 100 posts", await measureFullSize(workspace, bundle.script, sizes));
    printVerdict(all);
    return 0;
  } finally {
    await workspace.end();
  }
}

await runProgram(main);
