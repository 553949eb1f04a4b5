import type { Locator, Page } from "playwright-core";
import { connectors, platformName } from "../../src/platforms/registry.ts";
import { press } from "./steps.ts";

/** A handle that the sandbox knows, and the name of its account. */
const HANDLE = "ada-with-a-handle.bsky.social";
const NAME_OF_HANDLE = "Ada With A Handle";
const SERVER = "mastodon.sandbox.test";

/** A platform whose accounts are connected by its consent page. */
export interface Consented {
  platform: string;
  name: string;
  /** Whom a person signs in there as. */
  person: string;
  /** The name that their account is listed under. */
  account: string;
  /** The label of the field for a handle or a server; absent where one page serves all. */
  identifierLabel?: string | undefined;
  identifier: string;
  required: readonly string[];
  /** What a person is asked for and may leave out. */
  optional: readonly string[];
}

/** Every platform that has a consent page. */
export const CONSENTED: readonly Consented[] = connectors().flatMap(({ platform, consent }) => {
  if (!consent) return [];
  const { required, optional, usual = optional, identifierLabel } = consent;
  const name = platformName(platform);
  const [person, account, identifier] =
    platform === "bluesky"
      ? [HANDLE, NAME_OF_HANDLE, HANDLE]
      : [`Ada on ${name}`, `Ada on ${name}`, SERVER];
  const one = { platform, name, person, account, identifierLabel, identifier };
  return [{ ...one, required, optional: usual }];
});

/** @throws Error for one without a consent page */
export function consentedOn(platform: string): Consented {
  const found = CONSENTED.find((one) => one.platform === platform);
  if (!found) throw new Error(`${platform} has no consent page.`);
  return found;
}

/** Presses the button that leads to the consent page, and fills in the handle or server before where one is asked for. */
export async function pressConnect(
  form: Page | Locator,
  { identifierLabel, identifier }: Pick<Consented, "identifierLabel" | "identifier">,
  button: string,
): Promise<void> {
  if (identifierLabel) await form.getByLabel(identifierLabel, { exact: true }).fill(identifier);
  await form.getByRole("button", { name: button }).click();
}

/** Goes from the page of accounts to the platform's simulated consent page. */
export async function openConsent(page: Page, origin: string, one: Consented): Promise<void> {
  await page.goto(`${origin}/app/accounts`);
  const offer = page
    .getByRole("listitem")
    .filter({ has: page.getByRole("heading", { name: one.name, exact: true }) })
    .locator('form[action^="/app/accounts/connect"]');
  await pressConnect(offer, one, "In the sandbox");
}

/** Signs in on a consent page, and agrees to all permissions but those. */
export async function agree(
  page: Page,
  person: string,
  without: readonly string[] = [],
): Promise<void> {
  await page.getByLabel("Sign in as").fill(person);
  for (const scope of without) await page.getByLabel(scope, { exact: true }).uncheck();
  await press(page, "Allow");
}

/** Agrees without a permission that is needed; returns its name. */
export async function agreeToLess(page: Page, { person, required }: Consented): Promise<string> {
  await page.getByLabel("Sign in as").waitFor();
  const boxes = await page.locator("input[name=scope]:enabled").all();
  const offered = await Promise.all(boxes.map((box) => box.inputValue()));
  const left = required.findLast((scope) => offered.includes(scope));
  if (left === undefined) throw new Error("No permission that is needed can be left out.");
  await agree(page, person, [left]);
  return left;
}

/** Chooses what is ticked, where the person has several accounts. */
export async function chooseIfAsked(page: Page, look: () => Promise<void>): Promise<void> {
  await page.waitForURL((url) => !url.pathname.startsWith("/sandbox/"));
  if (!new URL(page.url()).pathname.startsWith("/oauth/choose/")) return;
  await look();
  await press(page, "Connect");
}
