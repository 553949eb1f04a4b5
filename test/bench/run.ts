import { parseArgs } from "node:util";
import { Problem, runProgram } from "../../src/cli/program.ts";
import { measureAbuse } from "./abuse.ts";
import { type Bundle, buildBundle, bundleRows } from "./bundle.ts";
import { measureCalendar } from "./calendar.ts";
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
import { type Row, skipped } from "./report.ts";
import { measureRequests } from "./requests.ts";
import { measureRestore } from "./restore.ts";
import { measureAll, type Section } from "./sections.ts";
import { measureSheets } from "./sheets.ts";
import { measureStartUp } from "./start-up.ts";
import { measureStorage } from "./storage.ts";
import { measureTenGb } from "./ten-gb.ts";
import { Workspace } from "./workspace.ts";

const NO_PROC = "CPU is read from /proc, which this machine does not have";

const THOROUGH = {
  starts: 7,
  effort: { rounds: 5, seconds: 3, posts: 600 },
  sizes: { small: 1_000, large: 200_000, others: 1_000_000 },
  due: 100_000,
  sheets: 20,
  films: [FILM_TO_X, LONGEST_TO_TIKTOK],
};
const QUICK: typeof THOROUGH = {
  starts: 3,
  effort: { rounds: 2, seconds: 1, posts: 200 },
  sizes: { small: 1_000, large: 20_000, others: 100_000 },
  due: 10_000,
  sheets: 5,
  films: [FILM_TO_X, FILM_TO_TIKTOK],
};

const MIB = 1_024 ** 2;
/** Large enough that starting and ending do not count. */
const STORED_MIB = 2_048;

const TEN_GB = 1e10;

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
  intake: async (workspace: Workspace) => measureIntake(workspace, await buildBundle(workspace)),
  sheets: async (workspace: Workspace) =>
    measureSheets(workspace, await buildBundle(workspace), THOROUGH.sheets),
  calendar: async (workspace: Workspace) =>
    measureCalendar(workspace, await buildBundle(workspace)),
  analytics: async (workspace: Workspace) =>
    measureOverview(workspace, await buildBundle(workspace)),
  webhooks: async (workspace: Workspace) =>
    measureDeliveries(workspace, await buildBundle(workspace)),
  restore: measureRestore,
  "ten-gb": async (workspace: Workspace, mebibytes: number | null) =>
    measureTenGb(
      workspace,
      await buildBundle(workspace),
      mebibytes === null ? TEN_GB : mebibytes * MIB,
    ),
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

/** The sections of a whole run, in their order; each is measured by itself. */
function sectionsOf(workspace: Workspace, isQuick: boolean): Section[] {
  const { starts, effort, sizes, due, sheets, films } = isQuick ? QUICK : THOROUGH;
  let built: Promise<Bundle> | undefined;
  const bundle = () => (built ??= buildBundle(workspace));
  const withCpu = (title: string, measure: () => Promise<Row[]>): Section => ({
    title,
    measure: canMeasureCpu ? measure : async () => [skipped(title, NO_PROC)],
  });
  return [
    { title: "Size", measure: async () => bundleRows(await bundle()) },
    withCpu("Start", async () => measureStartUp(workspace, await bundle(), starts)),
    { title: "Counted costs", measure: () => countCosts(workspace) },
    withCpu("CPU of one call, 16 connections, lowest of the rounds", async () =>
      measureRequests(workspace, await bundle(), effort),
    ),
    withCpu("Redirects", async () => measureRedirects(workspace, await bundle(), effort)),
    withCpu("Files taken in", async () => measureIntake(workspace, await bundle())),
    withCpu("Hostile bodies", async () => measureAbuse(workspace, await bundle())),
    ...films.map((film) =>
      withCpu(`A file passed on to ${film.name}`, async () =>
        measureRelay(workspace, await bundle(), film),
      ),
    ),
    withCpu("Sheets", async () => measureSheets(workspace, await bundle(), sheets)),
    withCpu("Webhooks", async () => measureDeliveries(workspace, await bundle())),
    withCpu("Due posts", async () => measureDuePosts(workspace, await bundle(), due)),
    withCpu("100 posts on time", async () => measureLateness(workspace, await bundle(), 100)),
    withCpu("1,000 posts on time", async () => measureLateness(workspace, await bundle(), 1_000)),
    {
      title: "A page of 100 posts",
      measure: async () => measureFullSize(workspace, await bundle(), sizes),
    },
    withCpu("A calendar of 1,000 posts", async () => measureCalendar(workspace, await bundle())),
    {
      title: "An overview of analytics",
      measure: async () => measureOverview(workspace, await bundle()),
    },
    {
      title: "A page of short links",
      measure: async () => measureLinkPages(workspace, await bundle(), sizes),
    },
  ];
}

/**
 * Measures and prints; a bar that is missed is told, and is no failure of the program. A section that cannot be
 * measured says why, the others go on, and the program fails at its end. `--only` measures one part: `storage` and
 * `film` the way of one file into storage, and of 10 GiB to YouTube; `restore` a backup and a restore of a million posts; `ten-gb` what calls and ticks read of a full database; `redirect`, `links`, `start`, `calls`, `intake`,
 * `sheets`, `calendar`, `analytics` and `webhooks` the redirects, the pages of short links, the first answers of fresh Workers, the CPU of
 * calls, files in forms, sheets, a calendar, an overview of analytics and the CPU of attempts.
 */
async function main(): Promise<number> {
  const { quick = false, only, mebibytes } = readArguments();
  const workspace = new Workspace();
  try {
    if (only === undefined) return await measureAll(sectionsOf(workspace, quick));
    const measure = ON_REQUEST[only as keyof typeof ON_REQUEST];
    if (!measure) throw new Problem(`--only names one of ${Object.keys(ON_REQUEST).join(", ")}.`);
    return await measureAll([{ title: only, measure: () => measure(workspace, mebibytes) }]);
  } finally {
    await workspace.end();
  }
}

await runProgram(main);
