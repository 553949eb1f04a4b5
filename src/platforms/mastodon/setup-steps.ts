import type { SetupStep } from "../setup-steps.ts";
import { scopes } from "./capabilities.ts";

const STEPS: readonly SetupStep[] = [
  {
    id: "address",
    kind: "domain",
    title: "Have an address that people can return to",
    todo: "Mastodon has no app to register: this instance registers itself at the server of each account that is connected, under the name Akimbo. The person's browser has to reach this instance: set PUBLIC_URL when it has several addresses. At http://localhost it works too.",
    page: "https://docs.joinmastodon.org/methods/apps/#create",
    before:
      "Accounts can be connected by a token that is made under Preferences, Development at their server.",
    after:
      "Accounts of every public server that speaks Mastodon's API can be connected: Mastodon, GoToSocial, Pixelfed, Friendica, Hollo. This is the last step.",
    neededFor: "everybody",
    pastes: { redirect: "Sent to the servers by itself" },
    scopes: scopes.required,
  },
];

export const setupSteps = () => STEPS;
