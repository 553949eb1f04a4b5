import { audienceStep, brandingStep, brandStep, domainStep } from "../google/setup-steps.ts";
import { purposeOf, recordingOf } from "../kit/submissions.ts";
import type { SetupStep } from "../setup-steps.ts";
import { scopes } from "./capabilities.ts";

const purpose = purposeOf(
  "Google Business",
  "The team publishes posts at its own locations, and edits or deletes them there.",
);

const reasons = {
  "https://www.googleapis.com/auth/business.manage":
    "The person chooses the locations that they manage, and publishes posts there; this app looks whether Google has accepted a post, and edits or deletes it when the person asks. No narrower scope lists locations or publishes posts.",
};

const STEPS: readonly SetupStep[] = [
  {
    id: "project",
    kind: "app",
    title: "Create a project",
    todo: "Create a project in the Google Cloud console. One instance is one project, because Google counts all calls of a project together. Keep its project number: the form of the next step asks for it.",
    page: "https://console.cloud.google.com/projectcreate",
    before: "Nothing.",
    after: "The project exists, and can call nothing yet.",
    neededFor: "everybody",
  },
  {
    id: "access",
    kind: "review",
    title: "Apply for access",
    todo: 'In the form, choose "Application for Basic API Access". Google wants a verified Business Profile, yours or a client\'s, that has been active for 60 days or more, with all of it filled in, and a website of the same business. Write with an e-mail address that is owner or manager of that profile: others were refused. Each instance applies for its own project. The answer shows in the console under Quotas: 0 requests a minute means not approved, 300 means approved. Do not ask for more quota while it is 0.',
    page: "https://support.google.com/business/contact/api_default",
    before: "The quota is 0: Google refuses every call, and hides one of the APIs.",
    after: "300 requests a minute, for all locations together.",
    takes: "Others report several days to a few weeks.",
    neededFor: "everybody",
    submission: {
      purpose,
      reasons,
      asks: [
        "the project number",
        "the website of the business that the profile shows",
        "an e-mail address that is owner or manager of the profile",
      ],
      recording: [],
    },
  },
  {
    id: "apis",
    kind: "product",
    title: "Enable the APIs",
    todo: 'Press Enable at each of these in the library of APIs: "Google My Business API", "My Business Account Management API" and "My Business Business Information API". The first one publishes the posts, and is in the library only after the approval. The Business Profile Performance API is not needed.',
    page: "https://console.cloud.google.com/apis/library/browse?q=business",
    before:
      "Google refuses the calls. Without the first API, locations connect and every post fails.",
    after: "The project may call the Business Profile.",
    neededFor: "everybody",
  },
  brandingStep,
  audienceStep,
  {
    id: "scopes",
    kind: "product",
    title: "Add the scope",
    todo: "Under Data Access, add this scope.",
    page: "https://console.cloud.google.com/auth/scopes",
    before: "The scope is not declared.",
    after: "The consent screen may ask for it.",
    neededFor: "everybody",
    scopes: scopes.required,
  },
  {
    id: "client",
    kind: "keys",
    title: "Create the OAuth client",
    todo: "Under Clients, create a client of the type Web application, register the redirect URL, and set the two variables to its id and secret. Google shows the secret only once, right after the client is created.",
    page: "https://console.cloud.google.com/auth/clients",
    before: "Nobody can sign in.",
    after: "Test users connect their locations and publish.",
    takes: "5 minutes to a few hours, until Google knows a new address.",
    neededFor: "everybody",
    pastes: { redirect: "Authorized redirect URIs" },
    variables: ["GOOGLE_BUSINESS_CLIENT_ID", "GOOGLE_BUSINESS_CLIENT_SECRET"],
    isChecked: true,
  },
  {
    id: "publish",
    kind: "live",
    title: "Publish the app",
    todo: 'Under Audience, press "Publish app". Then connect again every account that was connected in testing.',
    page: "https://console.cloud.google.com/auth/audience",
    before: "Only test users can connect, and their logins end after seven days.",
    after:
      "Logins last, and everybody can connect, behind Google's warning about unverified apps. At most 100 people can do that in the whole life of the project. For your own locations, this is the last step.",
    neededFor: "everybody",
  },
  domainStep,
  brandStep,
  {
    id: "scopes-review",
    kind: "review",
    title: "Have the scope verified",
    todo: 'In the Verification Center, press "Prepare for verification", justify the scope, and give the address of the recording as an unlisted video on YouTube. An app for personal use by fewer than 100 people does not need it.',
    page: "https://developers.google.com/identity/protocols/oauth2/production-readiness/sensitive-scope-verification",
    before: "People see the warning about unverified apps, and only 100 can connect.",
    after: "Neither the warning nor the limit of 100 people.",
    endsLimits: true,
    takes: "Google names two figures: 3 to 5 business days, and 10 business days.",
    neededFor: "strangers",
    submission: {
      purpose,
      reasons,
      asks: [
        "the consent in English, with the app's client id in the address bar",
        "what the scope is used for",
        "an unlisted video on YouTube",
      ],
      recording: recordingOf({
        name: "Google Business",
        consent:
          "Show Google's consent screen in English, with the whole address bar: the address contains the app's client id. Agree to the permission.",
        account: "The locations of the Business Profile were offered before, to choose from.",
        post: "a description",
        result: "Open the address: the post is shown at the Business Profile.",
        hasFigures: false,
      }),
    },
  },
];

export const setupSteps = () => STEPS;
