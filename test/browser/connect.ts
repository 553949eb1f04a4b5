import type { Browser, Page } from "playwright-core";
import {
  agree,
  agreeToLess,
  CONSENTED,
  type Consented,
  chooseIfAsked,
  openConsent,
} from "./consent.ts";
import { openContext } from "./context.ts";
import { NARROW, requireSound, type SignedIn, watchPolicy } from "./looks.ts";
import { press, type Step, walk } from "./steps.ts";

interface Visit {
  origin: string;
  owner: SignedIn;
  /** For the screenshots. */
  folder: string;
}

/**
 * Connects an account of every platform from the page of accounts: refused and with too little, both without
 * script; then granted, with less than all, and again. Each step that failed, in words.
 */
export async function checkConnect(browser: Browser, visit: Visit): Promise<string[]> {
  const { owner: storageState } = visit;
  const plain = await openContext(browser, { storageState, javaScriptEnabled: false });
  const seen = await openContext(browser, { storageState });
  const refused = [plain, seen].map(watchPolicy);
  const [plainPage, seenPage] = [await plain.newPage(), await seen.newPage()];
  const problems: string[] = [];
  for (const one of CONSENTED) {
    problems.push(...(await walk(plainPage, refusals(plainPage, visit, one))));
    problems.push(...(await walk(seenPage, connections(seenPage, visit, one))));
  }
  await plain.close();
  await seen.close();
  return [...problems, ...refused.flat()];
}

/** A person says no, or leaves out what is needed: nothing is connected. */
const refusals = (page: Page, { origin }: Visit, one: Consented): Step[] => [
  {
    name: `${one.name}, refused`,
    shows: "Nothing was connected",
    act: async () => {
      await openConsent(page, origin, one);
      await press(page, "Refuse");
    },
  },
  {
    name: `${one.name}, back after a refusal`,
    shows: "Connect an account",
    act: async () => {
      await page.getByRole("link", { name: "Back", exact: true }).click();
      await page.getByText("Connect an account", { exact: true }).waitFor();
      await requireAbsent(page, one.account);
    },
  },
  {
    name: `${one.name}, with less than is needed`,
    shows: "without which nothing can be published",
    act: async () => {
      await openConsent(page, origin, one);
      const left = await agreeToLess(page, one);
      await page.getByText("That did not work").waitFor();
      const text = await page.locator("main").innerText();
      if (!text.includes(left)) throw new Error(`${left} is not named: ${text}`);
    },
  },
  {
    name: `${one.name}, back after too little`,
    shows: "Connect an account",
    act: async () => {
      await page.getByRole("link", { name: "Back", exact: true }).click();
      await page.getByText("Connect an account", { exact: true }).waitFor();
      await requireAbsent(page, one.account);
    },
  },
];

/** @throws Error where an account of this name is listed */
async function requireAbsent(page: Page, account: string): Promise<void> {
  const count = await page.getByRole("link", { name: account, exact: true }).count();
  if (count > 0) throw new Error(`${account} is listed.`);
}

/** An account is connected, without a permission that may be left out, and again with all. */
function connections(page: Page, { origin, folder }: Visit, one: Consented): Step[] {
  const { name, platform, person, account } = one;
  const [spare] = one.optional;
  // The pages of all platforms are alike but for their texts.
  const look = (what: string) => {
    const looks = one === CONSENTED[0] ? undefined : NARROW;
    return requireSound(page, folder, `${what} ${platform}`, looks);
  };
  return [
    {
      name: `${name}, asked`,
      shows: `Connect to ${name}`,
      act: async () => {
        await openConsent(page, origin, one);
        await look("consent");
      },
    },
    {
      name: `${name}, connected`,
      shows: account,
      act: async () => {
        await agree(page, person, spare === undefined ? [] : [spare]);
        await chooseIfAsked(page, () => look("choose"));
        await page.getByText("The account is connected.", { exact: true }).waitFor();
      },
    },
    {
      name: `${name}, the account's page`,
      shows: spare === undefined ? "Reconnect" : `(${spare})`,
      act: async () => {
        await page.getByRole("link", { name: account, exact: true }).click();
        await look("account");
      },
    },
    {
      name: `${name}, connected again`,
      shows: "The account is connected again.",
      act: async () => {
        await press(page, "Reconnect");
        await agree(page, person);
        await page.getByText("The account is connected again.").waitFor();
        const text = await page.locator("main").innerText();
        if (text.includes("did not grant"))
          throw new Error(`A permission is still missing: ${text}`);
      },
    },
    {
      name: `${name}, still one account`,
      shows: account,
      act: async () => {
        await page.goto(`${origin}/app/accounts`);
        const count = await page.getByRole("link", { name: account, exact: true }).count();
        if (count !== 1) throw new Error(`It is listed ${count} times.`);
      },
    },
  ];
}
