import type { Harness } from "./harness.ts";
import type { Browser, Page } from "./person.ts";

/** The last link that was mailed, or would have been; null without one. */
export async function mailedLink(harness: Harness): Promise<string | null> {
  await harness.settle();
  const mail = harness.logs.findLast((entry) => "text" in entry) as { text: string } | undefined;
  return mail ? (/https:\/\/akimbo\.test(\/sign-in\/link\S+)/.exec(mail.text)?.[1] ?? null) : null;
}

/** Asks for a link to an address and returns its path. */
export async function askForLink(
  harness: Harness,
  browser: Browser,
  fields: { email: string; next?: string },
): Promise<string> {
  harness.logs.length = 0;
  await browser.post("/sign-in", fields);
  const link = await mailedLink(harness);
  if (link === null) throw new Error(`No link was mailed to ${fields.email}.`);
  return link;
}

export const tokenOf = (link: string): string =>
  new URL(link, "https://akimbo.test").searchParams.get("token") ?? "";

/** Presses the button of the page that a link opens. */
export function useLink(browser: Browser, link: string): Promise<Page> {
  const next = new URL(link, "https://akimbo.test").searchParams.get("next");
  return browser.post("/sign-in/link", {
    token: tokenOf(link),
    ...(next === null ? {} : { next }),
  });
}
