import { audienceStep, brandingStep, brandStep, domainStep } from "../google/setup-steps.ts";
import { purposeOf, recordingOf } from "../kit/submissions.ts";
import type { SetupStep } from "../setup-steps.ts";
import { scopes } from "./capabilities.ts";

const SCOPES = [...scopes.required, ...scopes.usual];

const recording = recordingOf({
  name: "YouTube",
  consent:
    "Show Google's consent screen in English, with the whole address bar: the address contains the app's client id. Choose the channel, open the list of permissions, and agree.",
  post: "a short video, a title and a description",
  result: "Open the address: the video plays on YouTube, with its title and description.",
});

const reasons = {
  "https://www.googleapis.com/auth/youtube.upload":
    "The person sends a video with its title, description, tags and thumbnail, and this app uploads it to the person's own channel. No narrower scope allows an upload.",
  "https://www.googleapis.com/auth/youtube.readonly":
    "This app shows which channel is connected, waits until YouTube has processed an uploaded video, and shows the figures of the channel's videos to the channel's owner. No narrower scope reads a channel and its videos.",
  "https://www.googleapis.com/auth/youtube.force-ssl":
    "The person deletes a video that they published by this app, or writes a first comment for it, which this app publishes below the video. No narrower scope allows that.",
};

const STEPS: readonly SetupStep[] = [
  {
    id: "project",
    kind: "app",
    title: "Create a project",
    todo: "Create a project in the Google Cloud console. One instance is one project. Keep its project number: the forms of the last steps ask for it.",
    page: "https://console.cloud.google.com/projectcreate",
    before: "Nothing.",
    after: "The project exists, and can call nothing yet.",
    neededFor: "everybody",
  },
  {
    id: "api",
    kind: "product",
    title: "Switch on the YouTube Data API",
    todo: 'Open "YouTube Data API v3" in the library of APIs, and press Enable.',
    page: "https://console.cloud.google.com/apis/library/youtube.googleapis.com",
    before: "Google refuses every call, and does not list YouTube's scopes.",
    after: "The project may call YouTube: 100 uploads a day, for all channels together.",
    neededFor: "everybody",
  },
  brandingStep,
  audienceStep,
  {
    id: "scopes",
    kind: "product",
    title: "Add the scopes",
    todo: 'Under Data Access, add these scopes. For videos to be deleted here too, as after a rehearsal, and for first comments, add https://www.googleapis.com/auth/youtube.force-ssl as well, and set APP_SCOPES to {"youtube":["https://www.googleapis.com/auth/youtube.force-ssl"]}. Channels that are connected already have to be connected again.',
    page: "https://console.cloud.google.com/auth/scopes",
    before: "The scopes are not declared.",
    after: "The consent screen may ask for them.",
    neededFor: "everybody",
    scopes: SCOPES,
  },
  {
    id: "client",
    kind: "keys",
    title: "Create the OAuth client",
    todo: "Under Clients, create a client of the type Web application, register the redirect URL, and set the two variables to its id and secret. Google shows the secret only once, right after the client is created.",
    page: "https://console.cloud.google.com/auth/clients",
    before: "Nobody can sign in.",
    after:
      "Test users connect their channels and publish. Videos can be public: since 2 November 2026 YouTube no longer keeps the videos of unverified projects private.",
    takes: "5 minutes to a few hours, until Google knows a new address.",
    neededFor: "everybody",
    pastes: { redirect: "Authorized redirect URIs" },
    variables: ["YOUTUBE_CLIENT_ID", "YOUTUBE_CLIENT_SECRET"],
    isChecked: true,
  },
  {
    id: "publish",
    kind: "live",
    title: "Publish the app",
    todo: 'Under Audience, press "Publish app". Then connect again every account that was connected in testing. For a channel in a Google Workspace, its administrator may have to trust the app first, in the Google Admin console under API controls.',
    page: "https://console.cloud.google.com/auth/audience",
    before: "Only test users can connect, and their logins end after seven days.",
    after:
      "Logins last, and everybody can connect, behind Google's warning about unverified apps. At most 100 people can do that in the whole life of the project. For your own channels, this is the last step.",
    neededFor: "everybody",
  },
  domainStep,
  brandStep,
  {
    id: "scopes-review",
    kind: "review",
    title: "Have the scopes verified",
    todo: 'In the Verification Center, press "Prepare for verification", justify each scope, and give the address of the recording as an unlisted video on YouTube. An app for personal use by fewer than 100 people does not need it.',
    page: "https://developers.google.com/identity/protocols/oauth2/production-readiness/sensitive-scope-verification",
    before: "People see the warning about unverified apps, and only 100 can connect.",
    after: "Neither the warning nor the limit of 100 people.",
    endsLimits: true,
    takes: "Google names two figures: 3 to 5 business days, and 10 business days.",
    neededFor: "strangers",
    submission: {
      purpose: purposeOf("YouTube", "The team uploads videos to its own channels."),
      reasons,
      asks: [
        "the consent in English, with the app's client id in the address bar",
        "what each scope is used for, and the same scopes that the app asks for",
        "an unlisted video on YouTube",
      ],
      recording,
    },
  },
  {
    id: "audit",
    kind: "audit",
    title: "Pass the compliance audit",
    todo: "Fill in the form for more quota. It asks for your legal name and address, your website, how the app earns money, the addresses below, the project number, credentials with which Google can sign in here, how many uploads you need and why, and pictures of the privacy policy, the home page, the terms, the consent and the page that uploads. Public videos do not need the audit. With an accepted use case for derived metrics, which is decided here too, set YOUTUBE_DERIVED_METRICS=on.",
    page: "https://support.google.com/youtube/contact/yt_api_form",
    before: "100 uploads a day.",
    after: "As many uploads as Google grants.",
    takes: "Google answers “as soon as possible”. The result counts for 12 months.",
    neededFor: "quota",
    pastes: {
      home: "Primary Access URL",
      privacy: "Privacy Policy URL",
      terms: "Terms of Service URL",
    },
    submission: {
      purpose: purposeOf("YouTube", "The team uploads videos to its own channels."),
      reasons,
      asks: [
        "pictures of the privacy policy, the home page, the terms, the consent, and the page that uploads",
        "credentials that work here",
      ],
      recording: [],
      needsAccess: true,
    },
  },
];

export const setupSteps = () => STEPS;
