import type { SetupStep } from "../setup-steps.ts";
import { scopes } from "./capabilities.ts";

const STEPS: readonly SetupStep[] = [
  {
    id: "developer",
    kind: "account",
    title: "Open a developer account",
    todo: "Sign in at X's developer console, accept the agreement, and describe what you do: you publish the posts of your own team to its own accounts.",
    page: "https://console.x.com",
    before: "Nothing.",
    after: "You can create apps. X names no review of an app.",
    neededFor: "everybody",
  },
  {
    id: "app",
    kind: "app",
    title: "Create the app",
    todo: "Create an app, and give it a name, a description and the use case. The keys that X shows here are not those of the login.",
    page: "https://docs.x.com/x-api/getting-started/getting-access",
    before: "Nothing.",
    after: "The app exists.",
    neededFor: "everybody",
  },
  {
    id: "authentication",
    kind: "addresses",
    title: "Set up user authentication",
    todo: 'At "User authentication settings", press "Set up". Choose the type "Web App, Automated App or Bot", which is a confidential client, and the permissions "Read and write". X leads people back to https addresses and to http://127.0.0.1, never to localhost. Scopes are not switched on there: this instance asks for them at the login.',
    page: "https://docs.x.com/fundamentals/developer-apps",
    before: "Nobody can sign in.",
    after: "X shows the OAuth 2.0 client id and, once, the client secret.",
    neededFor: "everybody",
    pastes: {
      redirect: "Callback URI / Redirect URL",
      home: "Website URL",
      terms: "Terms of service (optional)",
      privacy: "Privacy policy (optional)",
    },
    scopes: [...scopes.required, ...scopes.optional],
  },
  {
    id: "keys",
    kind: "keys",
    title: "Set the keys",
    todo: "Set the two variables to the OAuth 2.0 client id and the client secret.",
    page: "https://console.x.com",
    before: "Nobody can sign in.",
    after: "People can sign in, once there are credits.",
    neededFor: "everybody",
    variables: ["X_CLIENT_ID", "X_CLIENT_SECRET"],
    isChecked: true,
  },
  {
    id: "credits",
    kind: "payment",
    title: "Set a spending limit, and buy credits",
    todo: "Set a spending limit first, then buy credits; switch on auto-recharge only if you want it. At the spending limit, X refuses calls until the next billing cycle. X charges $0.015 for a post, $0.200 for a post with a link, $0.010 for each user that is read, and $0.005 for each post that is read.",
    page: "https://docs.x.com/x-api/getting-started/pricing",
    before: "X refuses every call.",
    after: "Everything works, for every account. This is the last step.",
    neededFor: "everybody",
  },
];

export const setupSteps = () => STEPS;
