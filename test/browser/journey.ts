import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { execute } from "../../src/cli/d1.ts";
import { sql } from "../../src/cli/sql.ts";
import { addDays } from "../../src/core/zone.ts";
import { type Akimbo, startAkimbo } from "../peers/akimbo.ts";
import { openContext } from "./context.ts";
import { fingersOf, type Hands, keyboardOf, mouseOf } from "./hands.ts";
import { composed } from "./journey/composed.ts";
import { type Mover, moveByDrag, moveByForm, moveByKeys } from "./journey/moved.ts";
import { inSandbox } from "./journey/sandbox.ts";
import { approved, arrival } from "./journey/visits.ts";
import { watchPolicy } from "./looks.ts";
import { pictures } from "./pictures.ts";
import { clock, fridayBeforeChange } from "./planning.ts";
import { walk } from "./steps.ts";

interface Visit {
  /** For files. */
  folder: string;
  /** For a service of its own, because its clock is taken months on. */
  stateDir: string;
}

const PLATFORMS = ["bluesky", "facebook", "threads", "x"];
const HOUR = "10:00";
/** A week: logins are renewed in between, as on a server that runs all the time. */
const LEAP_MS = 7 * 86_400_000;
const LEAP_MINUTES = 3;
const DESK = { viewport: { width: 1_280, height: 900 }, locale: "en-US" };
const PHONE = { viewport: { width: 360, height: 800 }, hasTouch: true, isMobile: true };

/** One way through everything, and the person who goes it. */
interface Way {
  name: string;
  email: string;
  options: BrowserContextOptions;
  handsOf(page: Page): Hands;
  move: Mover;
}

const WAYS: readonly Way[] = [
  {
    name: "by keyboard",
    email: "mary@example.com",
    options: DESK,
    handsOf: keyboardOf,
    move: moveByKeys,
  },
  {
    name: "by touch",
    email: "annie@example.com",
    options: PHONE,
    handsOf: fingersOf,
    move: moveByDrag,
  },
  {
    name: "without script",
    email: "edith@example.com",
    options: { ...DESK, javaScriptEnabled: false },
    handsOf: mouseOf,
    move: moveByForm,
  },
];

/** The names of accounts by platform, for the walks alone. */
async function makeAccounts(akimbo: Akimbo): Promise<string[]> {
  return Promise.all(
    PLATFORMS.map(async (platform) => {
      const name = `Walked on ${platform}`;
      const { status } = await akimbo.call("POST", "/accounts", { platform, sandbox: true, name });
      if (status !== 200) throw new Error(`No account was made on ${platform} (${status}).`);
      return name;
    }),
  );
}

async function invite(akimbo: Akimbo, email: string): Promise<string> {
  const { body } = await akimbo.call<{ data: { inviteLink: string } }>("POST", "/teams/invites", {
    email,
    role: "ADMIN",
  });
  return body.data.inviteLink;
}

/**
 * New people come in, write a thread for four platforms, move it across the change of clocks, and have it approved
 * by a client; it is published, and read in the sandbox. Once by keyboard, once by touch, and once without script.
 * Each step that failed, in words.
 */
export async function checkJourney(
  browser: Browser,
  { folder, stateDir }: Visit,
): Promise<string[]> {
  const friday = fridayBeforeChange();
  const monday = addDays(friday, 3);
  const akimbo = await startAkimbo(stateDir, {});
  await execute({ kind: "local", stateDir }, [sql`UPDATE teams SET zone = ${clock.zone}`]);
  const accounts = await makeAccounts(akimbo);
  const contexts: BrowserContext[] = [];
  const open = async (options: BrowserContextOptions): Promise<Page> => {
    const context = await openContext(browser, options);
    contexts.push(context);
    policies.push(watchPolicy(context));
    return context.newPage();
  };
  const policies: string[][] = [];
  const problems: string[] = [];
  const published: { way: Way; page: Page; ids: number[] }[] = [];
  for (const [i, way] of WAYS.entries()) {
    // X takes no file twice.
    const files = await pictures(folder, i + 1);
    const startedAt = performance.now();
    const [page, clientPage] = [await open(way.options), await open(way.options)];
    const [hands, clientHands] = [way.handsOf(page), way.handsOf(clientPage)];
    const post = { title: way.name, accounts, files, day: friday, time: HOUR };
    const inviteLink = await invite(akimbo, way.email);
    const found = { ids: [] as number[], reviewLink: "" };
    const hasScript = way.options.javaScriptEnabled !== false;
    const steps = [
      ...arrival({ akimbo, hands, email: way.email, inviteLink }),
      ...composed({ hands, post, hasScript, found }),
      ...way.move({ akimbo, hands, found, friday, monday, time: HOUR }),
    ];
    const faults = await walk(page, steps);
    if (faults.length === 0) {
      faults.push(...(await walk(clientPage, approved({ hands: clientHands, found }))));
      published.push({ way, page, ids: found.ids });
    }
    problems.push(...faults.map((fault) => `${way.name}: ${fault}`));
    console.log(`  ${way.name}: ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
  }
  problems.push(
    ...(await publish(
      akimbo,
      new Date(clock.instantOf(monday, "10:05").at),
      published.flatMap(({ ids }) => ids),
    )),
  );
  for (const { way, page } of published) {
    const faults = await walk(page, inSandbox({ akimbo, title: way.name, accounts }));
    problems.push(...faults.map((fault) => `${way.name}: ${fault}`));
  }
  for (const context of contexts) await context.close();
  return [...problems, ...policies.flat()];
}

/** Lives on until the date. */
async function publish(akimbo: Akimbo, at: Date, ids: readonly number[]): Promise<string[]> {
  for (let ms = Date.now() + LEAP_MS; ms < at.getTime(); ms += LEAP_MS) {
    await akimbo.leapTo(new Date(ms), LEAP_MINUTES);
  }
  await akimbo.leapTo(at, LEAP_MINUTES);
  const results = await Promise.allSettled(ids.map((id) => akimbo.completed(id)));
  return results.flatMap((result, i) =>
    result.status === "rejected" ? [`post ${ids[i]}: ${result.reason}`] : [],
  );
}
