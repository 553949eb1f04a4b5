import type { Browser } from "playwright-core";
import { agentClients } from "../../src/http/agent-clients.ts";

/** Copies the configuration of each agents' client from /docs, as a reader would; what is wrong with it, in words. */
export async function checkReference(browser: Browser, origin: string): Promise<string[]> {
  const page = await browser.newPage();
  const elsewhere = new Set<string>();
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith("http") && url.origin !== origin) elsewhere.add(url.origin);
  });
  await page.goto(`${origin}/docs`);
  const clients = agentClients(origin);
  await page.getByRole("heading", { name: clients.at(-1)?.name }).waitFor();
  const shown = (await page.locator("pre").allInnerTexts()).map(withoutSpace);
  await page.close();
  return [
    ...clients
      .filter(({ text }) => !shown.some((block) => block.includes(withoutSpace(text))))
      .map(({ name }) => `/docs: the configuration of ${name} is not there to be copied`),
    ...[...elsewhere].map((address) => `/docs asked elsewhere: ${address}`),
  ];
}

/** The page may break lines elsewhere than the text does. */
const withoutSpace = (text: string): string => text.replaceAll(/\s+/g, "");
