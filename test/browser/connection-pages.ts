import type { Browser, Page } from "playwright-core";
import type { Akimbo } from "../peers/akimbo.ts";
import { agree, type Consented, consentedOn, pressConnect } from "./consent.ts";
import { openContext } from "./context.ts";
import { requireSound, type SignedIn, watchPolicy } from "./looks.ts";
import type { Site } from "./site.ts";
import { press, type Step, walk } from "./steps.ts";

interface Visit {
  akimbo: Akimbo;
  owner: SignedIn;
  site: Site;
  /** For the screenshots. */
  folder: string;
}

interface Scene extends Visit {
  /** The page of the owner, who makes links. */
  team: Page;
  /** The page of a client, whom nobody knows. */
  client: Page;
}

const PHONE = { width: 360, height: 800 };
const HOUR_SECONDS = 3_600;

/**
 * Makes links for clients, and opens them in other browsers: to success with and without script, used again,
 * deleted, expired. Each step that failed, in words.
 */
export async function checkConnectionPages(browser: Browser, visit: Visit): Promise<string[]> {
  const contexts = [
    await openContext(browser, { storageState: visit.owner }),
    await openContext(browser, { viewport: PHONE, javaScriptEnabled: false }),
    await openContext(browser),
  ];
  const refused = contexts.map(watchPolicy);
  const [team, plain, seen] = await Promise.all(contexts.map((context) => context.newPage()));
  if (!team || !plain || !seen) throw new Error("No page could be opened.");
  const scene = { ...visit, team };
  const problems = [
    ...(await followToSite({ ...scene, client: plain })),
    ...(await followHere({ ...scene, client: seen })),
    ...(await meetDeleted({ ...scene, client: seen })),
    ...(await meetExpired({ ...scene, client: seen })),
    ...(await walk(seen, [
      {
        name: "a forged link leads nowhere",
        shows: "This link leads nowhere",
        act: async () => {
          await seen.goto(`${visit.akimbo.origin}/connect/1-${"0".repeat(64)}`);
          await requireSound(seen, visit.folder, "link forged");
        },
      },
    ])),
  ];
  for (const context of contexts) await context.close();
  return [...problems, ...refused.flat()];
}

/** The fields of a new link, by their labels. */
type Fields = Record<string, string>;

/** Makes a link on the owner's page; returns its address. */
async function makeLink(
  { akimbo, team }: Pick<Scene, "akimbo" | "team">,
  { platform }: Consented,
  fields: Fields,
): Promise<string> {
  await team.goto(`${akimbo.origin}/app/connection-pages`);
  await team.getByLabel("Platform").selectOption(`${platform}/sandbox`);
  for (const [label, value] of Object.entries(fields)) await team.getByLabel(label).fill(value);
  await press(team, "Make the page");
  await team.getByText("The page is made.").waitFor();
  return await team.locator(".address").first().innerText();
}

/** Goes from a link's page to the consent page. */
async function goToConsent(client: Page, link: string, one: Consented): Promise<void> {
  await client.goto(link);
  await pressConnect(client, one, `Connect ${one.name}`);
}

/** Without script: a client refuses, comes back, agrees, chooses a page, and is sent on to a site. */
async function followToSite({ team, client, ...visit }: Scene): Promise<string[]> {
  const { akimbo, site, folder } = visit;
  const one = consentedOn("facebook");
  let link = "";
  const problems = await walk(team, [
    {
      name: "a link is made",
      shows: "Copy its address and send it to your client.",
      act: async () => {
        link = await makeLink({ akimbo, team }, one, {
          Title: "Connect your page to Harbour News",
          Description: "We publish your posts.\nYou can end this at any time.",
          "Tags of the account": "client, harbour",
          "Address of a logo": `${site.origin}/logo.png`,
          "Where they go afterwards": `${site.origin}/done?ref=1`,
        });
        await requireSound(team, folder, "links");
      },
    },
  ]);
  const steps: Step[] = [
    {
      name: "a client refuses",
      shows: "Nothing was connected",
      act: async () => {
        await goToConsent(client, link, one);
        await press(client, "Refuse");
      },
    },
    {
      name: "the site can be reached without",
      shows: "The site of a customer",
      act: async () => {
        await client.getByRole("link", { name: "without it" }).click();
        await client.getByText("The site of a customer").waitFor();
        requireTold(client, site, "status=failed", "error=declined");
      },
    },
    {
      name: "the client comes back, and tries again",
      shows: "We publish your posts.",
      act: async () => {
        await client.goBack();
        await client.getByRole("link", { name: "Try again" }).click();
      },
    },
    {
      name: "the client agrees, and chooses",
      shows: "The site of a customer",
      act: async () => {
        await goToConsent(client, link, one);
        await agree(client, "A client");
        await client.getByText("Choose accounts").waitFor();
        await client.getByRole("radio").nth(1).check();
        await press(client, "Connect");
        await client.getByText("The site of a customer").waitFor();
        requireTold(client, site, "status=connected", "accountId=acc_", "ref=1");
      },
    },
    {
      name: "the link works once",
      shows: "This link was used",
      act: () => client.goto(link),
    },
  ];
  problems.push(...(await walk(client, steps)));
  return [
    ...problems,
    ...(await walk(team, [
      {
        name: "the account that was chosen has the link's tags",
        shows: "A client Studio",
        act: async () => {
          await team.goto(`${akimbo.origin}/app/connection-pages`);
          await team.getByRole("link", { name: "The account" }).first().click();
          const tags = await team.getByRole("textbox", { name: "Tags" }).inputValue();
          if (tags !== "client, harbour") throw new Error(`It has these tags: ${tags}`);
        },
      },
    ])),
  ];
}

/** @throws Error where the page that is open is not the site's, or is not told these parameters */
function requireTold(page: Page, site: Site, ...parameters: string[]): void {
  const url = page.url();
  const missing = parameters.filter((one) => !new RegExp(`[?&]${one}`).test(url));
  if (!url.startsWith(site.origin) || missing.length > 0) throw new Error(`They come to ${url}.`);
}

/** A client is led back to the link's page, which says that all is done, and later that it was used. */
async function followHere({ team, client, ...visit }: Scene): Promise<string[]> {
  const { akimbo, site, folder } = visit;
  const one = consentedOn("pinterest");
  let link = "";
  const steps: Step[] = [
    {
      name: "a link's page",
      shows: `Connect ${one.name}`,
      act: async () => {
        link = await makeLink({ akimbo, team }, one, {
          "Address of a logo": `${site.origin}/logo.png`,
        });
        await client.goto(link);
        const width = await client.evaluate<number>("document.querySelector('.logo').naturalWidth");
        if (width === 0) throw new Error("The logo is not shown.");
        await requireSound(client, folder, "link");
      },
    },
    {
      name: "a client refuses a link without a site",
      shows: "Try again",
      act: async () => {
        await goToConsent(client, link, one);
        await press(client, "Refuse");
        await client.getByRole("heading", { name: "Nothing was connected" }).waitFor();
        await requireSound(client, folder, "link refused");
      },
    },
    {
      name: "the client leaves out what is needed",
      shows: "boards:write",
      act: async () => {
        await goToConsent(client, link, one);
        await agree(client, "A client", ["boards:write"]);
        await client.getByText("That did not work").waitFor();
        await requireSound(client, folder, "link with less");
      },
    },
    {
      name: "the client agrees",
      shows: `${one.name} is connected`,
      act: async () => {
        await goToConsent(client, link, one);
        await agree(client, "A client");
        await client.getByText("Thank you, that is all.").waitFor();
        await requireSound(client, folder, "link done");
      },
    },
    {
      name: "a used link",
      shows: "This link was used",
      act: async () => {
        await client.goto(link);
        await requireSound(client, folder, "link used");
      },
    },
  ];
  return walk(client, steps);
}

/** The owner deletes a link while a client is at the consent page. */
async function meetDeleted({ team, client, akimbo, folder }: Scene): Promise<string[]> {
  const one = consentedOn("x");
  let link = "";
  const accountsBefore = await countAccounts(akimbo);
  return walk(client, [
    {
      name: "a link is deleted meanwhile",
      shows: "That did not work",
      act: async () => {
        link = await makeLink({ akimbo, team }, one, {});
        await goToConsent(client, link, one);
        await client.getByLabel("Sign in as").waitFor();
        await press(team, `Delete the page for ${one.name}, in the sandbox`);
        await team.getByText("The page is deleted").waitFor();
        await agree(client, "A client of a deleted link");
        await client.getByText("That did not work").waitFor();
        if ((await countAccounts(akimbo)) !== accountsBefore) throw new Error("It is connected.");
      },
    },
    {
      name: "a deleted link",
      shows: "This link is gone",
      act: async () => {
        await client.goto(link);
        await requireSound(client, folder, "link deleted");
      },
    },
  ]);
}

async function countAccounts({ call }: Akimbo): Promise<number> {
  const { body } = await call<{ count: number }>("GET", "/accounts");
  return body.count;
}

/** A link ends while its page is open. */
async function meetExpired({ team, client, akimbo, folder }: Scene): Promise<string[]> {
  const one = consentedOn("x");
  try {
    return await walk(client, [
      {
        name: "an expired link",
        shows: "This link has expired",
        act: async () => {
          const link = await makeLink({ akimbo, team }, one, { "Open for": "1" });
          await client.goto(link);
          await akimbo.advanceClock(HOUR_SECONDS + 1);
          await press(client, `Connect ${one.name}`);
          await client.getByText("This link has expired").waitFor();
          await requireSound(client, folder, "link expired");
        },
      },
    ]);
  } finally {
    await akimbo.advanceClock(-HOUR_SECONDS - 1);
  }
}
