import type { Browser, Page } from "playwright-core";
import { createGradientPng } from "../../src/cli/png.ts";
import type { Akimbo } from "../peers/akimbo.ts";
import { openContext } from "./context.ts";
import type { SignedIn } from "./looks.ts";
import { mailedLink } from "./mail.ts";
import { press, walk } from "./steps.ts";

/** The address of somebody who is invited by an open link, and becomes a member. */
export const STRANGER = "grace@example.com";
const INVITED = "katherine@example.com";

const PHONE = { width: 360, height: 800 };

const LOGO = createGradientPng({
  width: 240,
  height: 80,
  from: [58, 70, 214],
  to: [240, 200, 120],
});

/** A key that is in the device and asks for nothing: its person has always just been recognised. */
const VIRTUAL_KEY = {
  protocol: "ctap2",
  transport: "internal",
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;

interface People {
  problems: string[];
  owner: SignedIn;
  /** The stranger, as a member of the owner's team. */
  member: SignedIn;
  /** The path of an invite that is still open, for somebody by address. */
  openInvite: string;
}

/** Signs the owner in by link and by passkey, and lets them work and invite: each step that failed, in words. */
export async function checkPeople(browser: Browser, akimbo: Akimbo): Promise<People> {
  const { problems, owner } = await signInOwner(browser, akimbo);
  const context = await openContext(browser, { viewport: PHONE, storageState: owner });
  const page = await context.newPage();
  problems.push(...(await useToken(page, akimbo)), ...(await changeSettings(page, akimbo)));
  const { link, problems: refused } = await invite(page, akimbo, "");
  const accepted = await acceptInvite(browser, akimbo, link);
  problems.push(...refused, ...accepted.problems);
  const open = await invite(page, akimbo, INVITED);
  problems.push(...open.problems);
  await context.close();
  const { member } = accepted;
  return { problems, owner, member, openInvite: new URL(open.link).pathname };
}

/** By the printed link first; then adds a passkey, signs out, and comes back by it. */
async function signInOwner(browser: Browser, { origin, signInLink }: Akimbo) {
  const context = await openContext(browser);
  const page = await context.newPage();
  const debuggee = await context.newCDPSession(page);
  await debuggee.send("WebAuthn.enable");
  await debuggee.send("WebAuthn.addVirtualAuthenticator", { options: VIRTUAL_KEY });
  const problems = await walk(page, [
    {
      name: "the printed link signs in",
      shows: "Accounts and platforms",
      act: async () => {
        await page.goto(signInLink);
        await press(page, "Sign in");
      },
    },
    {
      name: "the printed link works once",
      shows: "This link no longer works",
      act: async () => {
        await page.goto(signInLink);
        await press(page, "Sign in");
      },
    },
    {
      name: "a passkey is added",
      shows: "on one device",
      act: async () => {
        await page.goto(`${origin}/app/me`);
        await page.getByLabel("Name of a new passkey").fill("A virtual key");
        await press(page, "Add a passkey");
        await page.getByRole("button", { name: "Remove A virtual key" }).waitFor();
      },
    },
    {
      name: "the owner signs out",
      shows: "Mail me a sign-in link",
      act: async () => {
        await page.locator("header").getByRole("button", { name: "Sign out" }).click();
        await page.goto(`${origin}/app/me`);
      },
    },
    {
      name: "the passkey signs in, and leads to the page that was asked for",
      shows: "A passkey signs you in",
      act: async () => {
        await press(page, "Sign in with a passkey");
        await page.waitForURL("**/app/me");
      },
    },
  ]);
  const owner = await context.storageState();
  await context.close();
  return { problems, owner };
}

/** Makes a token, calls the API by it, and revokes it. */
async function useToken(page: Page, { origin }: Akimbo): Promise<string[]> {
  let token = "";
  const callStatus = async () => {
    const headers = { "x-api-key": token };
    return (await fetch(`${origin}/api/v1/accounts`, { headers })).status;
  };
  const statuses: number[] = [];
  const problems = await walk(page, [
    {
      name: "a token is made",
      shows: "Copy it now",
      isLookedAt: true,
      act: async () => {
        await page.goto(`${origin}/app/tokens`);
        await page.getByLabel("Name").fill("Newsletter script");
        await page.getByLabel("Read accounts").check();
        await page.getByRole("combobox", { name: "In" }).selectOption({ index: 1 });
        await press(page, "Create the token");
        token = await page.locator(".notice pre").innerText();
        statuses.push(await callStatus());
      },
    },
    {
      name: "it is not shown again",
      shows: "Newsletter script",
      act: async () => {
        await page.goto(`${origin}/app/tokens`);
        if ((await page.content()).includes(token)) throw new Error("The token is shown again.");
      },
    },
    {
      name: "it is revoked",
      shows: "Calls with it are refused from now on.",
      act: async () => {
        await page.getByRole("link", { name: "Revoke Newsletter script" }).click();
        await press(page, "Revoke the token");
        statuses.push(await callStatus());
      },
    },
  ]);
  if (statuses.join() !== "200,401") problems.push(`the token's calls answered ${statuses}`);
  return problems;
}

/** Of the team, and of the stripe on its pages for clients. */
export const COLOUR = "#0b6b3c";

/** Stores a logo, a colour and other settings, and sends a suggestion. */
const changeSettings = (page: Page, { origin }: Akimbo): Promise<string[]> =>
  walk(page, [
    {
      name: "a file that is no picture is refused as logo",
      shows: "PNG, JPEG, WebP or SVG",
      act: () => storeLogo(page, origin, Buffer.from("no picture")),
    },
    {
      name: "a logo is stored",
      shows: "The logo is stored.",
      act: async () => {
        await storeLogo(page, origin, Buffer.from(LOGO));
        const logo = page.getByAltText("The team's logo");
        const box = await logo.boundingBox();
        if (box?.height !== 80) throw new Error(`The logo is shown ${box?.height} pixels high.`);
        const answer = await page.request.get(origin + (await logo.getAttribute("src")));
        if (!(await answer.body()).equals(Buffer.from(LOGO)))
          throw new Error("It is another file.");
      },
    },
    {
      name: "a colour that is too light for codes is kept with a warning",
      shows: "A QR code in this colour is too light to be scanned",
      act: async () => {
        await page.locator("#color").fill("#ffd400");
        await press(page, "Store the colour");
      },
    },
    {
      name: "a colour is removed",
      shows: "The team has no colour any more.",
      act: () => press(page, "Remove the colour"),
    },
    {
      name: "a colour is stored",
      shows: `The team's colour is ${COLOUR}.`,
      act: async () => {
        await page.locator("#color").fill(COLOUR);
        await press(page, "Store the colour");
      },
    },
    {
      name: "settings are saved",
      shows: "The settings are saved.",
      act: async () => {
        await page.getByLabel("Brand name").fill("Harbour News");
        await page.getByLabel("Blocklist").fill("a word\nanother phrase");
        await page.getByLabel("Own list for Instagram").check();
        await page.getByLabel("Banned hashtags on Instagram").fill("spam, ads");
        await page.getByRole("button", { name: "Save", exact: true }).first().click();
      },
    },
    {
      name: "a suggestion is sent",
      shows: "Thank you, the suggestion is sent.",
      act: async () => {
        await page.goto(`${origin}/app/suggestions`);
        await page.getByLabel("In a few words").fill("A calendar");
        await page.getByLabel("More about it").fill("With the posts of a month.");
        await press(page, "Send");
      },
    },
  ]);

async function storeLogo(page: Page, origin: string, buffer: Buffer): Promise<void> {
  await page.goto(`${origin}/app/settings`);
  const file = { name: "logo.png", mimeType: "image/png", buffer };
  await page.getByLabel("Image").setInputFiles(file);
  await press(page, "Store the logo");
}

/** Makes an invite, and reads its link. `email`: empty for whoever has the link. */
async function invite(page: Page, { origin }: Akimbo, email: string) {
  let link = origin;
  const problems = await walk(page, [
    {
      name: `an invite is made for ${email || "anybody"}`,
      shows: "It is shown this once",
      isLookedAt: true,
      act: async () => {
        await page.goto(`${origin}/app/team`);
        await page.getByLabel("E-mail address").fill(email);
        await press(page, "Make an invite link");
        link = await page.locator(".notice pre").innerText();
      },
    },
  ]);
  return { link, problems };
}

/** A stranger opens the link, proves an address, joins, and sees the team. */
async function acceptInvite(browser: Browser, akimbo: Akimbo, link: string) {
  const context = await openContext(browser, { viewport: PHONE, javaScriptEnabled: false });
  const page = await context.newPage();
  const problems = await walk(page, [
    {
      name: "a stranger gives an address",
      shows: "a link is on its way to it",
      act: async () => {
        await page.goto(link);
        await page.getByLabel("Your e-mail address").fill(STRANGER);
        await press(page, "Send the sign-in link");
      },
    },
    {
      name: "the mailed link leads back to the invite",
      shows: `You are signed in as ${STRANGER}`,
      act: async () => {
        await page.goto(await mailedLink(akimbo, STRANGER));
        await press(page, "Sign in");
      },
    },
    {
      name: "the stranger joins",
      shows: "Welcome. You are a member of this team now.",
      act: () => press(page, "Join the team"),
    },
    {
      name: "the team has two members",
      shows: "2 members",
      act: () => page.goto(`${akimbo.origin}/app/team`),
    },
    {
      name: "the new member sees the team's posts",
      shows: "A photo of the harbour",
      act: () => page.goto(`${akimbo.origin}/app/uploads`),
    },
    {
      name: "the invite has been used",
      shows: "You are a member of this team already",
      act: () => page.goto(link),
    },
  ]);
  const member = await context.storageState();
  await context.close();
  return { problems, member };
}
