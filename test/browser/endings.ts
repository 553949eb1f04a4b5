import type { Browser, Page } from "playwright-core";
import type { Akimbo } from "../peers/akimbo.ts";
import { agree, consentedOn, openConsent } from "./consent.ts";
import { openContext } from "./context.ts";
import { NARROW, requireSound, type SignedIn, watchPolicy } from "./looks.ts";
import type { Site } from "./site.ts";
import { press, type Step, walk } from "./steps.ts";

interface Visit {
  akimbo: Akimbo;
  owner: SignedIn;
  site: Site;
  /** For the screenshots. */
  folder: string;
}

/** Longer than a person may stay at a consent page. */
const TOO_LONG_SECONDS = 601;

/**
 * Goes the ways on which nothing is connected: by the wrong browser, twice, too late, as another account. Each
 * step that failed, in words.
 */
export async function checkEndings(browser: Browser, visit: Visit): Promise<string[]> {
  const { owner: storageState, akimbo } = visit;
  const own = await openContext(browser, { storageState });
  const other = await openContext(browser);
  const refused = [own, other].map(watchPolicy);
  const [page, stranger] = [await own.newPage(), await other.newPage()];
  const problems = [
    ...(await walk(stranger, elsewhere(page, stranger, visit))),
    ...(await walk(page, mistakes(page, visit))),
    ...(await walk(stranger, byProgram(stranger, visit))),
  ];
  await akimbo.advanceClock(-TOO_LONG_SECONDS);
  await own.close();
  await other.close();
  return [...problems, ...refused.flat()];
}

/** A stranger takes over what the owner has begun, at every point of the way. */
function elsewhere(page: Page, stranger: Page, { akimbo, folder }: Visit): Step[] {
  const { origin } = akimbo;
  const one = consentedOn("facebook");
  return [
    {
      name: "an address that was never made",
      shows: "This address leads nowhere",
      act: async () => {
        await stranger.goto(`${origin}/oauth/start/${"0".repeat(32)}`);
        await requireSound(stranger, folder, "ending unknown");
      },
    },
    {
      name: "a stranger agrees for the owner",
      shows: "This was begun in another browser",
      act: async () => {
        await openConsent(page, origin, one);
        await page.getByLabel("Sign in as").waitFor();
        await stranger.goto(page.url());
        await agree(stranger, "A stranger");
      },
    },
    {
      name: "a stranger chooses for the owner",
      shows: "This was begun in another browser",
      act: async () => {
        await openConsent(page, origin, one);
        await agree(page, "The owner");
        await page.getByText("Choose accounts").waitFor();
        await stranger.goto(page.url());
      },
    },
  ];
}

/** The owner, at the choice that the last of those left open, and after it. */
function mistakes(page: Page, { akimbo, folder }: Visit): Step[] {
  const { origin } = akimbo;
  const one = consentedOn("pinterest");
  let choice = "";
  return [
    {
      name: "nothing is chosen",
      shows: "Choose at least one account.",
      act: async () => {
        choice = page.url();
        for (const box of await page.getByRole("checkbox").all()) await box.uncheck();
        await press(page, "Connect");
        await page.getByText("Choose at least one account.").waitFor();
        await requireSound(page, folder, "choose none");
      },
    },
    {
      name: "two are chosen",
      shows: "The owner Studio",
      act: async () => {
        for (const box of await page.getByRole("checkbox").all()) await box.check();
        await press(page, "Connect");
      },
    },
    {
      name: "the choice that was made is opened again, and says how it ended",
      shows: "The account is connected.",
      act: async () => {
        await page.goto(choice);
        await requireSound(page, folder, "ending used");
      },
    },
    {
      name: "another account is connected than the one that is meant",
      shows: "Nothing was changed",
      act: async () => {
        await page.goto(`${origin}/app/accounts`);
        await page.getByRole("link", { name: one.account, exact: true }).click();
        await press(page, "Reconnect");
        await agree(page, "Somebody else");
        await page.getByText("Nothing was changed").waitFor();
        await requireSound(page, folder, "ending other account");
      },
    },
    {
      name: "the way back leads to the account",
      shows: "Reconnect",
      act: () => page.getByRole("link", { name: "Back", exact: true }).click(),
    },
    {
      name: "an account of Google without a channel",
      shows: "no YouTube channel",
      act: async () => {
        await openConsent(page, origin, consentedOn("youtube"));
        await agree(page, "Ada, no channel");
      },
    },
    {
      name: "the person comes back too late",
      shows: "That took too long",
      act: async () => {
        await openConsent(page, origin, one);
        await page.getByLabel("Sign in as").waitFor();
        await akimbo.advanceClock(TOO_LONG_SECONDS);
        await agree(page, "Somebody slow");
        await page.getByText("That took too long").waitFor();
        await requireSound(page, folder, "ending expired");
      },
    },
  ];
}

/** A program sends people, and is told how it went. */
function byProgram(page: Page, { akimbo, site, folder }: Visit): Step[] {
  const open = async () => {
    const wanted = { platform: "threads", mode: "sandbox", redirectUrl: `${site.origin}/done` };
    const { body } = await akimbo.call<{ authorizationUrl: string }>("POST", "/accounts", wanted);
    await page.goto(body.authorizationUrl);
    await requireSound(page, folder, "asked by a program", NARROW);
    await press(page, "Continue to Threads");
  };
  const requireAt = (start: string) => {
    if (!page.url().startsWith(site.origin + start)) throw new Error(`They come to ${page.url()}`);
  };
  return [
    {
      name: "a person whom a program sends refuses",
      shows: "The site of a customer",
      act: async () => {
        await open();
        await press(page, "Refuse");
        await page.getByText("The site of a customer").waitFor();
        requireAt("/done?status=failed&platform=threads&error=declined");
      },
    },
    {
      name: "a person whom a program sends agrees",
      shows: "The site of a customer",
      act: async () => {
        await open();
        await agree(page, "Sent by a program");
        await page.getByText("The site of a customer").waitFor();
        requireAt("/done?status=connected&platform=threads&accountId=acc_");
      },
    },
  ];
}
