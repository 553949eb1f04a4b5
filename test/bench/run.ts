import { parseArgs } from "node:util";
import { Problem, runProgram } from "../../src/cli/program.ts";
import { measureAbuse } from "./abuse.ts";
import { buildBundle, bundleRows } from "./bundle.ts";
import { countCosts } from "./counted.ts";
import { measureDeliveries } from "./deliveries.ts";
import { measureDuePosts } from "./due-posts.ts";
import { measureFullSize } from "./full-size.ts";
import { measureLinkPages } from "./full-size-links.ts";
import { measureIntake } from "./intake.ts";
import { measureLateness } from "./lateness.ts";
import { measureOverview } from "./overview.ts";
import { canMeasureCpu } from "./process-cost.ts";
import { measureRedirects } from "./redirect.ts";
import {
  FILM_TO_TIKTOK,
  FILM_TO_X,
  LARGEST_TO_YOUTUBE,
  LONGEST_TO_TIKTOK,
  measureRelay,
} from "./relay.ts";
import { printTable, printVerdict, type Row, skipped } from "./report.ts";
import { measureRequests } from "./requests.ts";
import { measureStartUp } from "./start-up.ts";
import { measureStorage } from "./storage.ts";
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

const MIB = 1_024 ** 2;
/** Large enough that starting and ending do not count. */
const STORED_MIB = 2_048;

/** Rows that take too long to be among the others: they are measured when they are named. */
const ON_REQUEST = {
  storage: async (workspace: Workspace, mebibytes: number | null) => {
    const sizeBytes = (mebibytes ?? STORED_MIB) * MIB;
    return measureStorage(workspace, sizeBytes);
  },
  links: async (workspace: Workspace) =>
    measureLinkPages(workspace, await buildBundle(workspace), THOROUGH.sizes),
  redirect: async (workspace: Workspace) =>
    measureRedirects(workspace, await buildBundle(workspace), THOROUGH.effort),
  start: async (workspace: Workspace) =>
    measureStartUp(workspace, await buildBundle(workspace), THOROUGH.starts),
  calls: async (workspace: Workspace) =>
    measureRequests(workspace, await buildBundle(workspace), THOROUGH.effort),
  analytics: async (workspace: Workspace) =>
    measureOverview(workspace, await buildBundle(workspace)),
  webhooks: async (workspace: Workspace) =>
    measureDeliveries(workspace, await buildBundle(workspace)),
  film: async (workspace: Workspace, mebibytes: number | null) => {
    const bundle = await buildBundle(workspace);
    const sizeBytes = mebibytes === null ? LARGEST_TO_YOUTUBE.sizeBytes : mebibytes * MIB;
    return measureRelay(workspace, bundle, { ...LARGEST_TO_YOUTUBE, sizeBytes });
  },
};

function readArguments() {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean" },
      only: { type: "string" },
      mebibytes: { type: "string" },
    },
  });
  return { ...values, mebibytes: values.mebibytes ? Number(values.mebibytes) : null };
}

/**
 * Measures and prints; a bar that is missed is told, and is no failure of the program. `--only storage` and
 * `--only film` measure nothing but the way of one file into storage, and of 10 GiB to YouTube; `--only redirect`,
 * `links`, `start`, `calls`, `analytics` and `webhooks` the redirects, the pages of short links, the first answers of
 * fresh Workers, the CPU of calls, an overview of analytics and the CPU of attempts.
 */
async function main(): Promise<number> {
  const { quick, only, mebibytes } = readArguments();
  const { starts, effort, sizes, due, films } = quick ? QUICK : THOROUGH;
  const workspace = new Workspace();
  const all: Row[] = [];
  const show = (title: string, rows: Row[]) => {
    printTable(title, rows);
    all.push(...rows);
  };
  try {
    if (only !== undefined) {
      const measure = ON_REQUEST[only as keyof typeof ON_REQUEST];
      if (!measure) throw new Problem(`--only names one of ${Object.keys(ON_REQUEST).join(", ")}.`);
      show(only, await measure(workspace, mebibytes));
      return 0;
    }
    const bundle = await buildBundle(workspace);
    show("Size and start", [
      ...bundleRows(bundle),
      ...(canMeasureCpu
        ? await measureStartUp(workspace, bundle, starts)
        : [skipped("start-up", NO_PROC)]),
    ]);
    show("Counted costs", await countCosts(workspace));
    show(
      "CPU of one call, 16 connections, lowest of the rounds",
      canMeasureCpu
        ? await measureRequests(workspace, bundle, effort)
        : [skipped("GET /upload, POST /upload", NO_PROC)],
    );
    if (canMeasureCpu) {
      show("Redirects", await measureRedirects(workspace, bundle, effort));
      show("Files taken in", await measureIntake(workspace, bundle));
      show("Hostile bodies", await measureAbuse(workspace, bundle));
      for (const film of films) {
        show(`A file passed on to ${film.name}`, await measureRelay(workspace, bundle, film));
      }
      show("Webhooks", await measureDeliveries(workspace, bundle));
      show("Due posts", [
        ...(await measureDuePosts(workspace, bundle, due)),
        ...(await measureLateness(workspace, bundle, 100)),
        ...(await measureLateness(workspace, bundle, 1_000)),
      ]);
    }
    show("A page of 100 posts", await measureFullSize(workspace, bundle, sizes));
    show("An overview of analytics", await measureOverview(workspace, bundle));
    show("A page of short links", await measureLinkPages(workspace, bundle, sizes));
    printVerdict(all);
    return 0;
  } finally {
    await workspace.end();
  }
}

await runProgram(main);
