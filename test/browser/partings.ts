import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import type { Akimbo } from "../peers/akimbo.ts";
import { openContext } from "./context.ts";
import type { SignedIn } from "./looks.ts";
import { mailedLink } from "./mail.ts";
import { STRANGER } from "./people.ts";
import { press, type Step, walk } from "./steps.ts";

const OWNER = "owner@akimbo.localhost";

interface Parting {
  akimbo: Akimbo;
  owner: Page;
  member: Page;
}

/**
 * Ends, without script, all that people have: other sessions, the passkey, a membership, at last the team.
 * Each step that failed, in words. Nobody is signed in to the team afterwards.
 */
export async function checkPartings(
  browser: Browser,
  akimbo: Akimbo,
  states: Record<"owner" | "member", SignedIn>,
): Promise<string[]> {
  const open = async (storageState?: SignedIn) =>
    (
      await openContext(browser, {
        javaScriptEnabled: false,
        ...(storageState && { storageState }),
      })
    ).newPage();
  const [owner, member, elsewhere] = [
    await open(states.owner),
    await open(states.member),
    await open(),
  ];
  const problems = [
    ...(await endOtherSessions(akimbo, owner, elsewhere)),
    ...(await partWithPasskey(akimbo, owner)),
    ...(await changeMember({ akimbo, owner, member })),
    ...(await removeMember({ akimbo, owner, member })),
    ...(await takeDataAlong(akimbo, owner)),
    ...(await deleteTeam(akimbo, owner)),
  ];
  for (const page of [owner, member, elsewhere]) await page.context().close();
  return problems;
}

/** Opens a page, and expects the text on it. */
const seeing = (page: Page, address: string, name: string, shows: string): Promise<string[]> =>
  walk(page, [{ name, shows, act: () => page.goto(address) }]);

/** Signs the owner in on a second device by a mailed link, and out there from the first. */
async function endOtherSessions(akimbo: Akimbo, owner: Page, elsewhere: Page): Promise<string[]> {
  const { origin } = akimbo;
  return [
    ...(await walk(elsewhere, [
      {
        name: "the owner signs in on a second device",
        shows: "Where you are signed in",
        act: async () => {
          await elsewhere.goto(`${origin}/sign-in?next=/app/me`);
          await elsewhere.getByLabel("E-mail address").fill(OWNER);
          await press(elsewhere, "Mail me a sign-in link");
          await elsewhere.goto(await mailedLink(akimbo, OWNER));
          await press(elsewhere, "Sign in");
        },
      },
    ])),
    ...(await walk(owner, [
      {
        name: "the other sessions are ended",
        shows: "This one",
        act: async () => {
          await owner.goto(`${origin}/app/me`);
          await press(owner, "Sign out everywhere else");
          const ends = owner.locator("main").getByRole("button", { name: "Sign out" });
          if ((await ends.count()) !== 1) throw new Error("More than one session is left.");
        },
      },
    ])),
    ...(await seeing(
      elsewhere,
      `${origin}/app/me`,
      "the second device is signed out at once",
      "Mail me a sign-in link",
    )),
  ];
}

const partWithPasskey = (akimbo: Akimbo, owner: Page): Promise<string[]> =>
  walk(owner, [
    {
      name: "the passkey is renamed",
      shows: "on one device",
      act: async () => {
        await owner.goto(`${akimbo.origin}/app/me`);
        await owner.getByLabel("Passkey", { exact: true }).fill("The old key");
        await press(owner, "Rename");
      },
    },
    {
      name: "it is removed by its new name",
      shows: "You have none yet.",
      act: () => press(owner, "Remove The old key"),
    },
  ]);

/** Makes the member an admin, and switches them off and on: their next page is already another. */
async function changeMember({ akimbo, owner, member }: Parting): Promise<string[]> {
  const { origin } = akimbo;
  const changed = (name: string, shows: string, act: Step["act"]) =>
    walk(owner, [{ name, shows, act }]);
  const memberSees = (name: string, path: string, shows: string) =>
    seeing(member, origin + path, name, shows);
  return [
    ...(await changed("a member is made an admin", "The member is changed.", async () => {
      await owner.goto(`${origin}/app/team`);
      await owner.getByRole("combobox", { name: `Role of ${STRANGER}` }).selectOption("ADMIN");
      await press(owner, `Save role of ${STRANGER}`);
    })),
    ...(await memberSees("the admin invites from now on", "/app/team", "Make an invite link")),
    ...(await changed("the admin is deactivated", "The member is deactivated.", () =>
      press(owner, `Deactivate ${STRANGER}`),
    )),
    ...(await memberSees("their session sees no post any more", "/app/uploads", "0 posts")),
    ...(await changed("the admin is activated", "The member is active again.", () =>
      press(owner, `Activate ${STRANGER}`),
    )),
    ...(await walk(member, [
      {
        name: "they choose the team again",
        shows: "Accounts and platforms",
        act: async () => {
          await member.goto(`${origin}/app/team`);
          await member.getByLabel("Team to show").selectOption({ label: "Demo" });
          await press(member, "Show");
        },
      },
    ])),
    ...(await memberSees("they see its posts again", "/app/uploads", "A photo of the harbour")),
  ];
}

/** Removes the member while they fill in a form of the team: it is refused, and the team is gone for them. */
async function removeMember({ akimbo, owner, member }: Parting): Promise<string[]> {
  const { origin } = akimbo;
  return [
    ...(await walk(member, [
      {
        name: "the member begins a form",
        shows: "Make a suggestion",
        act: async () => {
          await member.goto(`${origin}/app/suggestions`);
          await member.getByLabel("In a few words").fill("Too late");
        },
      },
    ])),
    ...(await walk(owner, [
      {
        name: "the member is removed",
        shows: "The member is removed. Their posts and accounts stay with the team.",
        act: async () => {
          await owner.getByRole("link", { name: `Remove ${STRANGER}` }).click();
          await press(owner, "Remove the member");
        },
      },
    ])),
    ...(await walk(member, [
      {
        name: "a form that they had open changes nothing",
        shows: "You do not belong to the team of that page any more",
        act: () => press(member, "Send"),
      },
    ])),
    ...(await seeing(
      member,
      `${origin}/app/uploads`,
      "their session sees no post of the team",
      "0 posts",
    )),
    ...(await seeing(
      owner,
      `${origin}/app/suggestions`,
      "nothing of the form is there",
      "A calendar",
    )),
  ];
}

const takeDataAlong = (akimbo: Akimbo, owner: Page): Promise<string[]> =>
  walk(owner, [
    {
      name: "the team's data is downloaded",
      shows: "Take your data along",
      act: async () => {
        await owner.goto(`${akimbo.origin}/app/settings`);
        const started = owner.waitForEvent("download");
        await owner.getByRole("link", { name: "Download" }).click();
        const text = await readFile(await (await started).path(), "utf8");
        const lines = text.trimEnd().split("\n");
        const types = lines.map((line) => (JSON.parse(line) as { type: string }).type);
        if (types[0] !== "team" || types.at(-1) !== "end" || types.includes("next")) {
          throw new Error(`The export has these lines: ${types}.`);
        }
        if (!text.includes("A photo of the harbour")) throw new Error("It has not all posts.");
        if (text.includes("Too late")) throw new Error("It has what was refused.");
      },
    },
  ]);

/** Deletes the team; its owner is signed out for good, and the API knows its token no more. */
async function deleteTeam(akimbo: Akimbo, owner: Page): Promise<string[]> {
  const confirm = async (word: string) => {
    await owner.getByLabel("to confirm").fill(word);
    await press(owner, "Delete the team for good");
  };
  const problems = await walk(owner, [
    {
      name: "the team is not deleted by another word",
      shows: "Delete the team for good",
      act: () => confirm("another"),
    },
    { name: "the team is deleted", shows: "Mail me a sign-in link", act: () => confirm("demo") },
    {
      name: "its owner is signed out",
      shows: "Mail me a sign-in link",
      act: () => owner.goto(`${akimbo.origin}/app`),
    },
  ]);
  const { status } = await akimbo.call("GET", "/accounts");
  if (status !== 401) problems.push(`the deleted team's token answers ${status}`);
  return problems;
}
