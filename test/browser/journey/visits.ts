import type { Page } from "playwright-core";
import type { Akimbo } from "../../peers/akimbo.ts";
import type { Hands } from "../hands.ts";
import { mailedLink } from "../mail.ts";
import type { Step } from "../steps.ts";
import type { Found } from "./composed.ts";

const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: true });

interface Arrival {
  akimbo: Akimbo;
  hands: Hands;
  email: string;
  inviteLink: string;
}

/** From the sign-in page to a place in the team. */
export const arrival = ({ akimbo, hands, email, inviteLink }: Arrival): Step[] => [
  {
    name: "a new person asks for a sign-in link",
    shows: "a link is on its way to it",
    act: async (page) => {
      await page.goto(`${akimbo.origin}/sign-in`);
      await hands.write(page.getByLabel("E-mail address"), email);
      await hands.press(button(page, "Mail me a sign-in link"));
    },
  },
  {
    name: "the link signs in",
    shows: "Home",
    act: async (page) => {
      await page.goto(await mailedLink(akimbo, email));
      await hands.press(button(page, "Sign in"));
    },
  },
  {
    name: "the person joins the team",
    shows: "Welcome. You are a member of this team now.",
    act: async (page) => {
      await page.goto(inviteLink);
      await hands.press(button(page, "Join the team"));
    },
  },
];

interface Approval {
  hands: Hands;
  found: Found;
}

/** The client has the link alone, and no session. */
export const approved = ({ hands, found }: Approval): Step[] => [
  {
    name: "the client opens the review link",
    shows: "4 posts wait for your decision.",
    act: (page) => page.goto(found.reviewLink),
  },
  {
    name: "the client approves",
    shows: "Every post is decided. Thank you.",
    act: (page) => hands.press(button(page, "Approve all 4")),
  },
];
