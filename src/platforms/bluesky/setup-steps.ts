import type { SetupStep } from "../setup-steps.ts";
import { scopes } from "./capabilities.ts";

const STEPS: readonly SetupStep[] = [
  {
    id: "address",
    kind: "domain",
    title: "Have a public address",
    todo: "Bluesky has no app to register. People's servers read a document of this instance, so it needs an https address without a port: set PUBLIC_URL when it has several. At http://localhost it works too, with short logins.",
    page: "https://atproto.com/specs/oauth",
    before: "Accounts can be connected with an app password.",
    after:
      "Accounts can be connected by Bluesky's own page, on every server. A login lasts two weeks without a key, at Bluesky's own servers.",
    neededFor: "everybody",
    pastes: { metadata: "Read by the servers by themselves" },
    scopes: scopes.required,
  },
  {
    id: "key",
    kind: "keys",
    title: "Have a key",
    todo: "`npm run deploy` or the instance itself makes BLUESKY_KEY, by which servers know this instance. After a change of the key, the accounts have to be connected again.",
    page: "https://atproto.com/specs/oauth#types-of-clients",
    before: "Logins by Bluesky's own page end after two weeks.",
    after:
      "They last up to two years at Bluesky's own servers, if they are used every three months. Other servers may choose other times. This is the last step.",
    neededFor: "everybody",
    variables: ["BLUESKY_KEY"],
  },
];

export const setupSteps = () => STEPS;
