import axe, { type AxeResults } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { agentClients } from "../../src/http/agent-clients.ts";
import { openContext } from "./context.ts";

/** Rules of axe that are ours to keep: the rest of the page is its library's. */
const OWN_RULES = ["color-contrast", "html-has-lang", "html-lang-valid"];

/** Looks at the colours and the language of the page that is open, light and dark; what is wrong, in words. */
async function faultsOf(page: Page): Promise<string[]> {
  const faults: string[] = [];
  await page.evaluate(axe.source);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const run = `axe.run({ runOnly: ${JSON.stringify(OWN_RULES)} })`;
    const { violations } = await page.evaluate<AxeResults>(run);
    for (const { id, nodes } of violations) {
      const [first] = nodes;
      faults.push(
        `/docs (${colorScheme}): ${id}, ${nodes.length} times: ${first?.html.slice(0, 200)}`,
      );
    }
  }
  return faults;
}

/** Copies the configuration of each agents' client from /docs, as a reader would; what is wrong with it, in words. */
export async function checkReference(browser: Browser, origin: string): Promise<string[]> {
  const context = await openContext(browser);
  const page = await context.newPage();
  const elsewhere = new Set<string>();
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith("http") && url.origin !== origin) elsewhere.add(url.origin);
  });
  await page.goto(`${origin}/docs`);
  const clients = agentClients(origin);
  await page.getByRole("heading", { name: clients.at(-1)?.name }).waitFor();
  const shown = (await page.locator("pre").allInnerTexts()).map(withoutSpace);
  const faults = await faultsOf(page);
  await context.close();
  return [
    ...faults,
    ...clients
      .filter(({ byAddress, byToken }) =>
        [byAddress, byToken].some(
          (one) => one && !shown.some((block) => block.includes(withoutSpace(one.text))),
        ),
      )
      .map(({ name }) => `/docs: the configuration of ${name} is not there to be copied`),
    ...[...elsewhere].map((address) => `/docs asked elsewhere: ${address}`),
  ];
}

/** The page may break lines elsewhere than the text does. */
const withoutSpace = (text: string): string => text.replaceAll(/\s+/g, "");
