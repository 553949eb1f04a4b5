import { NO_EDITOR, purposeOf, recordingOf } from "../kit/submissions.ts";
import {
  accessVerification,
  basicSettings,
  businessVerification,
  developerStep,
  REVIEW_ASKS,
  reviewFacts,
} from "../meta/setup-steps.ts";
import type { SetupStep } from "../setup-steps.ts";
import { scopes } from "./capabilities.ts";

const STEPS: readonly SetupStep[] = [
  {
    id: "professional",
    kind: "account",
    title: "Have a professional account",
    todo: "Turn the Instagram account into a professional one, business or creator. It needs no Facebook Page.",
    page: "https://help.instagram.com/502981923235522",
    before: "Instagram refuses the account.",
    after: "The account can be connected.",
    neededFor: "everybody",
  },
  developerStep,
  {
    id: "app",
    kind: "app",
    title: "Create the app",
    todo: 'Choose the use case "Manage messaging and content on Instagram", and in it "API setup with Instagram login". It may be the Meta app that you use for Facebook.',
    page: "https://developers.facebook.com/documentation/development/create-an-app/instagram-use-case",
    before: "Nothing.",
    after: "The app has an Instagram app id and an Instagram app secret of its own.",
    neededFor: "everybody",
  },
  {
    id: "permissions",
    kind: "product",
    title: "Add the permissions",
    todo: 'Add these permissions to the use case; instagram_business_manage_insights only for figures. For first comments, add instagram_business_manage_comments as well, and set APP_SCOPES to {"instagram":["instagram_business_manage_insights","instagram_business_manage_comments"]}. Accounts that are connected already have to be connected again.',
    page: "https://developers.facebook.com/documentation/development/create-an-app/instagram-use-case",
    before: "Instagram refuses the login.",
    after: "Testers can be asked for them: that is standard access.",
    neededFor: "everybody",
    scopes: [...scopes.required, ...scopes.usual],
  },
  {
    id: "login",
    kind: "addresses",
    title: "Register the addresses of the login",
    todo: "Under API setup with Instagram login, Business login settings, register these addresses. Instagram leads people back only to https.",
    page: "https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login",
    before: "Instagram does not lead people back.",
    after: "The consent page works.",
    neededFor: "everybody",
    pastes: {
      redirect: "OAuth redirect URIs",
      withdrawn: "Deauthorize callback URL",
      deletion: "Data deletion request URL",
    },
  },
  {
    id: "keys",
    kind: "keys",
    title: "Set the keys",
    todo: "Set the two variables to the Instagram app id and the Instagram app secret of the business login settings. The app id of the basic settings is another one. Instagram has no call that checks them: the first connected account does.",
    page: "https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login",
    before: "Nobody can sign in.",
    after: "Testers can sign in.",
    neededFor: "everybody",
    variables: ["INSTAGRAM_CLIENT_ID", "INSTAGRAM_CLIENT_SECRET"],
    differs: {
      variable: "INSTAGRAM_CLIENT_ID",
      other: "FACEBOOK_CLIENT_ID",
      message:
        "It has to be the Instagram app id of the business login settings, not the id of the Meta app.",
    },
  },
  {
    id: "testers",
    kind: "people",
    title: "Invite the accounts as testers",
    todo: "Under App roles, Roles, add each account as Instagram tester by its handle. The account accepts in a browser, at https://www.instagram.com/accounts/manage_access/ under Tester invites.",
    page: "https://developers.facebook.com/documentation/development/build-and-test/app-roles",
    before: "Instagram refuses accounts without a role in the app.",
    after: "These accounts connect and publish.",
    neededFor: "everybody",
  },
  basicSettings({
    domain: "App domains",
    privacy: "Privacy policy URL",
    terms: "Terms of Service URL",
    deletion: "User data deletion, Data deletion callback URL",
    home: "Website, Site URL",
  }),
  {
    id: "live",
    kind: "live",
    title: "Publish the app",
    todo: "First publish one post, and open it in a browser that is not signed in: if it is there, you can leave the app as it is. Otherwise complete the Data Use Checkup, which comes back every year, and set the app live. Then connect an account again and publish once more: Meta's pages do not agree on whether people with a role can still be asked for permissions without a review.",
    page: "https://developers.facebook.com/documentation/development/release",
    before:
      "Data of an app in development mode can be seen only by people with a role in it. Meta does not say whether that holds for posts on Instagram.",
    after:
      "The app is live. For accounts of a business that you own or manage, this is the last step: Meta asks for no review.",
    neededFor: "everybody",
  },
  businessVerification,
  {
    ...reviewFacts,
    id: "review",
    kind: "review",
    title: "Pass the app review",
    todo: `Ask for advanced access to each permission. ${NO_EDITOR} Meta wants to see how a person creates a post, and does not say whether that page is enough.`,
    page: "https://developers.facebook.com/docs/instagram-platform/app-review",
    after: "Everybody with a professional account can connect it.",
    endsLimits: true,
    submission: {
      purpose: purposeOf("Instagram", "The team publishes to its own professional accounts."),
      reasons: {
        instagram_business_basic:
          "This app shows the name, the handle and the picture of the connected account, so that the person sees where a post goes. It reads the account's own posts to find the address of a published one.",
        instagram_business_content_publish:
          "The person writes a caption with hashtags, adds photos or a video, and sends it now or for a later date. This app publishes it to the person's own feed, as a reel or as a story.",
        instagram_business_manage_insights:
          "This app shows the account's owner how often the posts were seen.",
        instagram_business_manage_comments:
          "The person writes a first comment for their own post, and this app publishes it below the post.",
      },
      asks: [
        ...REVIEW_ASKS,
        "for instagram_business_basic: the complete login at Instagram, then the username and the id",
        "for instagram_business_content_publish: a new photo post with caption and hashtags, and the same post in the account's feed",
      ],
      recording: recordingOf({
        name: "Instagram",
        consent:
          "Show Instagram's whole login: sign in with the professional account, and agree to each permission.",
        post: "a photo, and a title with hashtags as the caption",
        result: "Open the address: the post is in the account's feed, with its caption.",
      }),
      needsAccess: true,
    },
  },
  accessVerification,
];

export const setupSteps = () => STEPS;
