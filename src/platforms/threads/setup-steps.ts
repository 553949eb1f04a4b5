import { NO_EDITOR, purposeOf, recordingOf } from "../kit/submissions.ts";
import {
  basicSettings,
  businessVerification,
  developerStep,
  REVIEW_ASKS,
  reviewFacts,
} from "../meta/setup-steps.ts";
import type { SetupStep } from "../setup-steps.ts";
import { scopes } from "./capabilities.ts";

const STEPS: readonly SetupStep[] = [
  developerStep,
  {
    id: "app",
    kind: "app",
    title: "Create the app",
    todo: 'Choose the use case "Access the Threads API".',
    page: "https://developers.facebook.com/documentation/development/create-an-app/threads-use-case",
    before: "Nothing.",
    after:
      "The app has two pairs of id and secret. Threads needs the Threads app id and the Threads app secret.",
    neededFor: "everybody",
  },
  {
    id: "permissions",
    kind: "product",
    title: "Add the permissions",
    todo: 'Press "Customize" at the use case, and add these permissions. For posts to be deleted here too, as after a rehearsal, add threads_delete as well, and set APP_SCOPES to {"threads":["threads_manage_insights","threads_manage_replies","threads_read_replies","threads_delete"]}. With threads_read_replies, Akimbo finds a reply again whose answer was lost, and its thread goes on. Accounts that are connected already have to be connected again.',
    page: "https://developers.facebook.com/documentation/development/create-an-app/threads-use-case",
    before: "Threads refuses the login.",
    after: "Testers can be asked for them.",
    neededFor: "everybody",
    scopes: [...scopes.required, ...scopes.usual],
  },
  {
    id: "settings",
    kind: "addresses",
    title: "Register the addresses",
    todo: "In the use case's settings, register all three addresses. Meta's guide calls the second one Deauthorize callback URL, and the third one Data deletion request URL. According to other programs, the form is not saved with an empty one, and the redirect URL counts only after you press Enter. Threads leads people back only to https.",
    page: "https://developers.facebook.com/documentation/development/create-an-app/threads-use-case",
    before: "Threads does not lead people back.",
    after: "The consent page works.",
    neededFor: "everybody",
    pastes: {
      redirect: "Redirect Callback URLs",
      withdrawn: "Uninstall Callback URL",
      deletion: "Delete Callback URL",
    },
  },
  {
    id: "keys",
    kind: "keys",
    title: "Set the keys",
    todo: "Set the two variables to the Threads app id and the Threads app secret of the use case's settings. The app id of the basic settings is another one.",
    page: "https://developers.facebook.com/documentation/threads/get-started",
    before: "Nobody can sign in.",
    after: "Testers can sign in.",
    neededFor: "everybody",
    variables: ["THREADS_CLIENT_ID", "THREADS_CLIENT_SECRET"],
    differs: {
      variable: "THREADS_CLIENT_ID",
      other: "FACEBOOK_CLIENT_ID",
      message:
        "It has to be the Threads app id of the use case's settings, not the id of the Meta app.",
    },
    isChecked: true,
  },
  {
    id: "testers",
    kind: "people",
    title: "Invite the accounts as testers",
    todo: "Under App roles, Roles, add each account as Threads tester. The account accepts at https://www.threads.com/settings/website_permissions under Invites.",
    page: "https://developers.facebook.com/documentation/threads/get-started",
    before: "Threads refuses accounts that have not accepted the invite.",
    after:
      "These accounts connect and publish. For your own accounts, this is the last step: Meta asks for no review when only people with a role use the app. A permission lasts 90 days. Akimbo renews it, but the owner of a private profile has to agree again.",
    neededFor: "everybody",
  },
  {
    ...basicSettings({
      domain: "App domains",
      privacy: "Privacy policy URL",
      terms: "Terms of Service URL",
      deletion: "User data deletion, Data deletion callback URL",
    }),
    before: "The app can be neither reviewed nor published.",
    after: "It can be both.",
    neededFor: "strangers",
  },
  businessVerification,
  {
    ...reviewFacts,
    id: "review",
    kind: "review",
    title: "Pass the app review",
    todo: `Ask for advanced access to each permission, under App Review, Requests. ${NO_EDITOR} Meta wants to see how a person creates a post, and does not say whether that page is enough.`,
    before: "Only testers can connect.",
    after: "Everybody can connect, once the app is published.",
    endsLimits: true,
    submission: {
      purpose: purposeOf("Threads", "The team publishes to its own accounts."),
      reasons: {
        threads_basic:
          "This app shows the name and the picture of the connected account, so that the person sees where a post goes. It reads the account's own posts to find the address of a published one.",
        threads_content_publish:
          "The person writes a post with text, images or a video, and sends it now or for a later date. This app publishes it to the person's own profile.",
        threads_manage_insights:
          "This app shows the account's owner how often the posts were seen.",
        threads_manage_replies:
          "The person writes a first reply to their own post, and this app publishes it below the post.",
        threads_read_replies:
          "When the answer to a published reply was lost, this app looks for it among the account's own replies, to go on with the thread.",
        threads_delete: "The person deletes a post that they published by this app.",
      },
      asks: [...REVIEW_ASKS, "for each permission a recording: without one it is not approved"],
      recording: recordingOf({
        name: "Threads",
        consent: "Show the whole login at Threads, and agree to each permission.",
        post: "a text and an image",
        result: "Open the address: the post is on the profile.",
      }),
      needsAccess: true,
    },
  },
  {
    id: "live",
    kind: "live",
    title: "Publish the app",
    todo: "Set the app live, and not before the review: Meta says that a live app can ask only for approved permissions, from people with a role too. An app that you use for Facebook or Instagram too has one mode for all: give Threads an app of its own when the other one is live.",
    page: "https://developers.facebook.com/documentation/development/release",
    before: "Only testers can connect.",
    after: "Everybody can connect.",
    neededFor: "strangers",
  },
];

export const setupSteps = () => STEPS;
