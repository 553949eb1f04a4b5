import { purposeOf, recordingOf } from "../kit/submissions.ts";
import type { SetupStep } from "../setup-steps.ts";
import { scopes } from "./capabilities.ts";

const purpose = purposeOf(
  "Pinterest",
  "The team creates pins on its own boards, and chooses each pin itself.",
);

const reasons = {
  "user_accounts:read":
    "Shows the name and the picture of the connected account, so that the person sees where a pin goes.",
  "boards:read": "Lists the person's boards, to choose the board of a pin.",
  "boards:write": "Creates a board that the person names here.",
  "pins:read": "Shows the address and the figures of the pins that the person created here.",
  "pins:write":
    "Creates the pin that the person writes here, with its image or video, title, text and link.",
};

const STEPS: readonly SetupStep[] = [
  {
    id: "business",
    kind: "account",
    title: "Have a business account",
    todo: "Sign in to Pinterest with a business account, or make one, and confirm its e-mail address. It administers the app.",
    page: "https://developers.pinterest.com/docs/getting-started/connect-app/",
    before: "Pinterest takes no app.",
    after: "You can connect an app.",
    neededFor: "everybody",
  },
  {
    id: "trial",
    kind: "review",
    title: "Connect an app, and wait for Trial access",
    todo: 'Accept the terms, press "Connect app", and fill in the form: name, company, website, privacy policy, purpose, use cases and audience. The name must not contain "Pinterest".',
    page: "https://developers.pinterest.com/apps/",
    before: "Nothing.",
    after: "The app has an id and a secret, with Trial access.",
    takes: "Pinterest reviews requests each business day, and answers by e-mail.",
    neededFor: "everybody",
    pastes: { home: "Company website or app link", privacy: "Privacy policy link" },
    submission: {
      purpose,
      reasons,
      asks: ["the form alone: purpose, use cases and audience"],
      recording: [],
    },
  },
  {
    id: "redirect",
    kind: "addresses",
    title: "Register the redirect URL",
    todo: "Under My apps, Manage, Configure, register the redirect URL: it is compared letter by letter. Scopes are not switched on there: this instance asks for them at the login.",
    page: "https://developers.pinterest.com/docs/getting-started/set-up-authentication-and-authorization/",
    before: "Pinterest does not lead people back.",
    after: "The consent page works.",
    neededFor: "everybody",
    pastes: { redirect: "Redirect URIs" },
    scopes: [...scopes.required, ...scopes.optional],
  },
  {
    id: "keys",
    kind: "keys",
    title: "Set the keys",
    todo: "Set the two variables to the app id and the app secret key.",
    page: "https://developers.pinterest.com/apps/",
    before: "Nobody can sign in.",
    after:
      "People connect their accounts, and this instance reads boards and figures. Pinterest refuses every pin of an app with Trial access (error 29).",
    neededFor: "everybody",
    variables: ["PINTEREST_CLIENT_ID", "PINTEREST_CLIENT_SECRET"],
    isChecked: true,
  },
  {
    id: "sandbox",
    kind: "people",
    title: "Create a pin in Pinterest's sandbox",
    todo: 'For the recording, run an instance in development on your computer. Put the two keys and this line into its .dev.vars: PLATFORM_ORIGINS={"https://api.pinterest.com":"https://api-sandbox.pinterest.com"}. Then start it anew (`npm start`): its calls, the login too, now go to Pinterest\'s own sandbox. Open /app/setup/pinterest there: it has the redirect URL of that instance, to register too, and the script of the recording with its addresses. The pins are seen on your profile, by you. The sandbox takes no videos and has no figures.',
    page: "https://developers.pinterest.com/docs/developer-tools/sandbox/",
    before: "No pin can be created.",
    after: "Pins of images can be created, which you alone see.",
    neededFor: "everybody",
  },
  {
    id: "standard",
    kind: "review",
    title: "Upgrade to Standard access",
    todo: "Record on the development instance of the step before: an app with Trial access creates pins nowhere else. Then press Upgrade on the app's card under My apps, check the use case and the privacy policy, and send the recording.",
    page: "https://developers.pinterest.com/docs/key-concepts/access-tiers/",
    before: "Pinterest refuses every pin outside its sandbox.",
    after: "Pins are public.",
    endsLimits: true,
    takes: "Pinterest reviews upgrades “regularly”, and names no time.",
    neededFor: "everybody",
    pastes: { privacy: "Privacy policy link" },
    submission: {
      purpose,
      reasons,
      asks: [
        "the whole OAuth flow, without sensitive data",
        "an action by Pinterest's API, such as a new pin",
        "Pinterest's two most common reasons to refuse: the recording does not show Pinterest at work, or not the whole OAuth flow",
      ],
      recording: recordingOf({
        name: "Pinterest",
        consent:
          "Show Pinterest's consent page with its whole address and the permissions, and agree.",
        post: "an image, a title, a link and the board",
        result: "Open the address: the pin is on the board.",
        hasFigures: false,
      }),
    },
  },
];

export const setupSteps = () => STEPS;
