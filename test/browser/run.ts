import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { Problem, runProgram } from "../../src/cli/program.ts";
import { PLATFORMS } from "../../src/platforms/registry.ts";
import { startAkimbo } from "../peers/akimbo.ts";
import { checkConnect } from "./connect.ts";
import { CONSENTED } from "./consent.ts";
import { checkDirectUploads } from "./direct-uploads.ts";
import { checkEndings } from "./endings.ts";
import { checkForms } from "./forms.ts";
import { checkHostile } from "./hostile.ts";
import { checkLinks } from "./links.ts";
import { lookAt, type SignedIn } from "./looks.ts";
import { checkPartings } from "./partings.ts";
import { checkPeople } from "./people.ts";
import { checkReference } from "./reference.ts";
import { checkReview } from "./review.ts";
import { startSite } from "./site.ts";
import { fillWorkspace } from "./workspace.ts";

const DEFAULT_CHROMIUM = "/usr/bin/chromium";

async function main(): Promise<number> {
  const browser = await launch();
  const folder = mkdtempSync(join(tmpdir(), "akimbo-browser-"));
  const stateDir = join(folder, "state");
  process.on("exit", () => rmSync(stateDir, { recursive: true, force: true, maxRetries: 3 }));
  try {
    console.log("Starting Akimbo …");
    const akimbo = await startAkimbo(stateDir, {});
    const place = { kind: "local", stateDir } as const;
    const { failedId, publishedId, accountId } = await fillWorkspace(akimbo, place);
    const { origin } = akimbo;
    const { problems, owner, member, openInvite } = await checkPeople(browser, akimbo);
    const own = [
      ...["/app", "/app/uploads", "/app/uploads?status=failed&search=one"],
      ...[`/app/uploads/${publishedId}`, `/app/uploads/${failedId}`],
      ...["/app/accounts", `/app/accounts/${accountId}`, `/app/accounts/${accountId}/remove`],
      ...["/app/links", "/app/setup"],
      ...["/app/tokens", "/app/tokens/1/revoke", "/app/team", "/app/team/members/2/remove"],
      ...["/app/me", "/app/settings", "/app/suggestions", openInvite],
    ];
    const link = akimbo.signInLink.slice(origin.length);
    const open = [
      ...["/", "/sandbox", "/sandbox/webhook", "/sign-in", "/sign-in/sent", link, openInvite],
      "/privacy",
    ];
    const lookAs = (person: SignedIn | null, paths: string[]) =>
      lookAt(browser, { origin, person, folder }, paths);
    problems.push(...(await lookAs(owner, own)), ...(await lookAs(null, open)));
    problems.push(...(await checkReference(browser, origin)));
    problems.push(...(await checkForms(browser, { origin, owner, failedId })));
    problems.push(...(await checkConnect(browser, { origin, owner, folder })));
    const site = await startSite();
    problems.push(...(await checkLinks(browser, { akimbo, owner, site, folder })));
    problems.push(...(await checkEndings(browser, { akimbo, owner, site, folder })));
    problems.push(...(await checkReview(browser, { akimbo, owner, folder })));
    problems.push(...(await checkHostile(browser, { akimbo, owner })));
    problems.push(...(await checkDirectUploads(browser, { akimbo, site, folder: stateDir })));
    site.close();
    problems.push(...(await checkPartings(browser, akimbo, { owner, member })));
    for (const problem of problems) console.error(problem);
    console.log(
      `\n${own.length + open.length} pages, ${CONSENTED.length} of ${PLATFORMS.length} platforms with a consent page, ${problems.length} problems. Screenshots: ${folder}`,
    );
    return problems.length === 0 ? 0 : 1;
  } finally {
    await browser.close();
  }
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
