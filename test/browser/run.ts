import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Browser, chromium } from "playwright-core";
import { Problem, runProgram } from "../../src/cli/program.ts";
import { PLATFORMS } from "../../src/core/platforms.ts";
import { startAkimbo } from "../peers/akimbo.ts";
import { checkActivity } from "./activity.ts";
import { checkAnalytics } from "./analytics.ts";
import { checkApps } from "./apps.ts";
import { checkCalendar } from "./calendar.ts";
import { checkCompose } from "./compose.ts";
import { checkConnect } from "./connect.ts";
import { checkConnectionPages } from "./connection-pages.ts";
import { CONSENTED } from "./consent.ts";
import { checkDirectUploads } from "./direct-uploads.ts";
import { checkEndings } from "./endings.ts";
import { checkForms } from "./forms.ts";
import { checkGuideSearch, checkGuides } from "./guides.ts";
import { checkHostile } from "./hostile.ts";
import { checkJourney } from "./journey.ts";
import { LOOKS, lookAt, NARROW, type SignedIn } from "./looks.ts";
import { checkPagesWithData } from "./pages-with-data.ts";
import { checkPartings } from "./partings.ts";
import { checkPeople } from "./people.ts";
import { checkPools } from "./pools.ts";
import { checkPrograms } from "./programs.ts";
import { checkReference } from "./reference.ts";
import { checkReview } from "./review.ts";
import { checkSetup } from "./setup.ts";
import { checkShortLinks } from "./short-links.ts";
import { startSite } from "./site.ts";
import { checkWcag } from "./wcag.ts";
import { checkWebhooks } from "./webhooks.ts";
import { fillWorkspace } from "./workspace.ts";

const DEFAULT_CHROMIUM = "/usr/bin/chromium";

/**
 * `--quick`: the parts that are marked so, and the pages in the narrow look alone.
 * `--only "consent pages"`: one part, or several by several; the people sign in before.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { quick: { type: "boolean" }, only: { type: "string", multiple: true } },
  });
  const isQuick = values.quick === true;
  const browser = await launch();
  const folder = mkdtempSync(join(tmpdir(), "akimbo-browser-"));
  const stateDir = join(folder, "state");
  process.on("exit", () => rmSync(stateDir, { recursive: true, force: true, maxRetries: 3 }));
  const site = await startSite();
  try {
    console.log("Starting Akimbo …");
    const akimbo = await startAkimbo(stateDir, {});
    const place = { kind: "local", stateDir } as const;
    const { failedId, publishedId, accountId } = await fillWorkspace(akimbo, place);
    await akimbo.call("PUT", "/blocks/signature", { text: "— The team of {shop}" });
    const { origin } = akimbo;
    const { problems, owner, member, openInvite } = await checkPeople(browser, akimbo);
    for (const problem of problems) console.error(problem);
    const own = [
      ...[
        "/app",
        "/app/calendar",
        "/app/analytics",
        "/app/uploads",
        "/app/uploads?status=failed&search=one",
      ],
      ...[`/app/uploads/${publishedId}`, `/app/uploads/${failedId}`],
      ...["/app/accounts", `/app/accounts/${accountId}`, `/app/accounts/${accountId}/remove`],
      ...["/app/connection-pages", "/app/media", "/app/pools", "/app/setup"],
      ...["/app/import", "/app/feeds", "/app/blocks", "/app/blocks?name=signature"],
      ...["/app/webhooks", "/app/webhooks/signature"],
      ...["/app/short-links", "/app/short-links/domains"],
      ...PLATFORMS.map((platform) => `/app/setup/${platform}`),
      ...["/app/tokens", "/app/tokens/1/revoke", "/app/team", "/app/team/members/2/remove"],
      "/app/activity",
      ...["/app/me", "/app/settings", "/app/suggestions", openInvite],
      "/docs/posts",
    ];
    const link = akimbo.signInLink.slice(origin.length);
    const open = [
      ...["/", "/sandbox", "/sandbox/webhook", "/sign-in", "/sign-in/sent", link, openInvite],
      ...["/privacy", "/terms"],
      ...["/docs/guides", "/docs/posts", "/docs/platforms/tiktok"],
    ];
    const lookAs = (person: SignedIn | null, paths: string[]) =>
      lookAt(browser, { origin, person, folder, looks: isQuick ? NARROW : LOOKS }, paths);
    const visit = { akimbo, origin, owner, site, folder };
    const parts: [string, "quick" | "full", () => Promise<string[]>][] = [
      ["pages of a signed-in person", "quick", () => lookAs(owner, own)],
      ["pages of a visitor", "quick", () => lookAs(null, open)],
      ["reference", "full", () => checkReference(browser, origin)],
      ["guides", "full", () => checkGuides(browser, origin, folder)],
      ["search of the guides", "quick", () => checkGuideSearch(browser, origin)],
      ["forms", "full", () => checkForms(browser, { origin, owner, failedId })],
      ["consent pages", "quick", () => checkConnect(browser, visit)],
      ["setup", "quick", () => checkSetup(browser, visit)],
      ["calendar", "full", () => checkCalendar(browser, visit)],
      ["activity", "full", () => checkActivity(browser, visit)],
      ["pools", "full", () => checkPools(browser, visit)],
      ["analytics", "full", () => checkAnalytics(browser, { ...visit, place })],
      ["connection pages", "full", () => checkConnectionPages(browser, visit)],
      ["programs", "quick", () => checkPrograms(browser, visit)],
      ["apps", "quick", () => checkApps(browser, visit)],
      ["webhooks", "quick", () => checkWebhooks(browser, visit)],
      ["short links", "full", () => checkShortLinks(browser, visit)],
      ["endings", "quick", () => checkEndings(browser, visit)],
      ["review", "full", () => checkReview(browser, visit)],
      ["a hostile caller", "quick", () => checkHostile(browser, visit)],
      ["uploads", "full", () => checkDirectUploads(browser, { akimbo, site, folder: stateDir })],
      ["compose", "quick", () => checkCompose(browser, { ...visit, isQuick })],
      [
        "journey",
        "full",
        () => checkJourney(browser, { folder, stateDir: join(stateDir, "journey") }),
      ],
      ["wcag", "full", () => checkWcag(browser, { ...visit, publishedId })],
      [
        "pages with data",
        "quick",
        () =>
          checkPagesWithData(browser, {
            ...{ ...visit, place, isQuick },
            stateDir: join(stateDir, "demo"),
          }),
      ],
      ["partings", "full", () => checkPartings(browser, akimbo, { owner, member })],
    ];
    for (const [name, form, check] of parts) {
      const isWanted = !isQuick || form === "quick";
      if (values.only === undefined ? !isWanted : !values.only.includes(name)) continue;
      problems.push(...(await timed(name, check)));
    }
    console.log(
      `\n${own.length + open.length} pages, ${CONSENTED.length} of ${PLATFORMS.length} platforms with a consent page, ${problems.length} problems. Screenshots: ${folder}`,
    );
    return problems.length === 0 ? 0 : 1;
  } finally {
    site.close();
    await browser.close();
  }
}

/** Tells what a part found, and how long it took. A part that breaks off is a problem, and the next ones go on. */
async function timed(name: string, check: () => Promise<string[]>): Promise<string[]> {
  const startedAt = performance.now();
  const problems = await check().catch((error: unknown) => [
    `${name}: ${error instanceof Error ? error.message : error}`,
  ]);
  const seconds = (performance.now() - startedAt) / 1_000;
  for (const problem of problems) console.error(problem);
  console.log(`${name}: ${problems.length} problems, ${seconds.toFixed(0)} s`);
  return problems;
}

/** @throws Problem where there is no Chromium */
async function launch(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM || DEFAULT_CHROMIUM;
  try {
    return await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new Problem(
      `Chromium could not be started (${reason}). Install it with \`apt-get install chromium\`, or name one: CHROMIUM=/path/to/chromium npm run test:browser`,
    );
  }
}

await runProgram(main, { stopCode: 1 });
