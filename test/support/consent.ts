import type { Browser, Page } from "./person.ts";

const ORIGIN = "https://akimbo.test";

/** The path of an address of the service under test. */
export const pathOf = (address: string | null): string => {
  if (!address) throw new Error("There is no address to go on to.");
  return address.startsWith(ORIGIN) ? address.slice(ORIGIN.length) : address;
};

/** A person at a simulated consent page. */
export interface Decision {
  /** The account that they sign in as. */
  name?: string;
  decision?: "allow" | "refuse";
  /** Permissions that they leave out. */
  without?: readonly string[];
  /** They leave out every one. */
  withoutAll?: true;
}

/**
 * Opens the address that leads to a simulated consent page, and goes on from its page. From a page of ours whose
 * form leads on by itself, the consent page is known.
 */
export async function openConsentPage(browser: Browser, opener: string): Promise<string> {
  const path = pathOf(opener);
  if (!path.startsWith("/oauth/start/")) return path;
  const page = await browser.get(path);
  if (page.status !== 200) throw new Error(`Not asked: ${page.status} ${page.html}`);
  const sent = await browser.post(path);
  if (sent.status !== 303) throw new Error(`Not sent on: ${sent.status} ${sent.html}`);
  return pathOf(sent.location);
}

/** Decides at a simulated consent page. Returns the path of the callback that it leads to. */
export async function decide(
  browser: Browser,
  consentPage: string,
  { name, decision = "allow", without = [], withoutAll }: Decision = {},
): Promise<string> {
  const page = await browser.get(consentPage);
  if (page.status !== 200) throw new Error(`No consent page: ${page.status} ${page.html}`);
  const scopes = [...page.html.matchAll(/name="scope" value="([^"]+)"/g)].map(
    ([, one]) => one ?? "",
  );
  const answer = await browser.post(consentPage, {
    ...(name === undefined ? {} : { name }),
    scope: withoutAll ? [] : scopes.filter((scope) => !without.includes(scope)),
    decision,
  });
  if (answer.status !== 302) throw new Error(`Not sent back: ${answer.status} ${answer.html}`);
  return pathOf(answer.location);
}

/** Comes back from a consent page; returns the page or redirect that a try ends at. */
export async function comeBack(browser: Browser, callback: string): Promise<Page> {
  const back = await browser.get(callback);
  return back.location?.startsWith("/oauth/done/") ? browser.get(back.location) : back;
}

/** Goes the whole way from an opener; returns the page or redirect that the callback answers. */
export async function walkConsent(
  browser: Browser,
  opener: string,
  decision: Decision = {},
): Promise<Page> {
  return comeBack(browser, await decide(browser, await openConsentPage(browser, opener), decision));
}
