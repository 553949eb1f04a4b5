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
  developerStep,
  {
    id: "app",
    kind: "app",
    title: "Create the app",
    todo: 'Choose the use case "Manage everything on your Page". Meta adds business_management, pages_show_list and public_profile by itself. For your own Pages, the app needs no business portfolio.',
    page: "https://developers.facebook.com/apps/creation/",
    before: "Nothing.",
    after: "The app exists, in development mode.",
    neededFor: "everybody",
    scopes: ["pages_show_list", "business_management"],
  },
  {
    id: "permissions",
    kind: "product",
    title: "Add the permissions",
    todo: 'Press "Customize" at the use case, and add these permissions; read_insights only for figures. For first comments, add pages_manage_engagement as well, and pages_read_user_content, which it depends on according to other programs, and set APP_SCOPES to {"facebook":["read_insights","business_management","pages_manage_engagement","pages_read_user_content"]}. Pages that are connected already have to be connected again.',
    page: "https://developers.facebook.com/documentation/pages-api/create-an-app",
    before: "Facebook refuses the login.",
    after: "People with a role can be asked for them: that is standard access.",
    neededFor: "everybody",
    scopes: [...scopes.required, ...scopes.usual].filter(
      (scope) => scope !== "pages_show_list" && scope !== "business_management",
    ),
  },
  {
    id: "login",
    kind: "addresses",
    title: "Register the addresses of the login",
    todo: "Under Facebook Login, Settings, register the redirect URL: it is compared letter by letter. With Facebook Login for Business, also make a configuration and set FACEBOOK_CONFIG_ID to its id, which such an app sends in place of a list of permissions.",
    page: "https://developers.facebook.com/docs/facebook-login/security/",
    before: "Facebook does not lead people back.",
    after: "The consent page works.",
    neededFor: "everybody",
    pastes: {
      redirect: "Valid OAuth Redirect URIs",
      withdrawn: "Deauthorize callback URL",
    },
  },
  basicSettings({
    domain: "App domains",
    privacy: "Privacy policy URL",
    terms: "Terms of Service URL",
    deletion: "User data deletion, Data deletion callback URL",
    home: "Website, Site URL",
  }),
  {
    id: "keys",
    kind: "keys",
    title: "Set the keys",
    todo: "Set the two variables to the app id and the app secret of the basic settings.",
    page: "https://developers.facebook.com/apps/",
    before: "Nobody can sign in.",
    after:
      "People with a role in the app connect their Pages and publish. Only people with a role see these posts.",
    neededFor: "everybody",
    variables: ["FACEBOOK_CLIENT_ID", "FACEBOOK_CLIENT_SECRET"],
    isChecked: true,
  },
  {
    id: "roles",
    kind: "people",
    title: "Give your colleagues a role",
    todo: "Under App roles, invite the people who connect Pages as administrators, developers or testers; they accept the invitation. Administrators and developers need a developer account of Meta, testers do not. Up to 50 testers fit, 500 for a verified business. The roles of an app in a business portfolio are managed in the portfolio.",
    page: "https://developers.facebook.com/documentation/development/build-and-test/app-roles",
    before: "Only you can connect Pages.",
    after: "So can they.",
    neededFor: "colleagues",
  },
  {
    id: "live",
    kind: "live",
    title: "Publish the app",
    todo: "Complete the Data Use Checkup, which comes back every year, and set the app live. Meta's pages do not agree on whether people with a role can then still be asked for permissions without a review. So try it: connect a Page again, publish one post, and open it in a browser that is not signed in. If that fails, the app needs the review.",
    page: "https://developers.facebook.com/documentation/development/release",
    before: "Only people with a role in the app see its posts.",
    after:
      "Everybody sees the posts, also the earlier ones. For your own Pages, this is the last step: Meta asks for no review when only people with a role use the app.",
    takes: "At once.",
    neededFor: "everybody",
  },
  businessVerification,
  {
    ...reviewFacts,
    id: "review",
    kind: "review",
    title: "Pass the app review",
    todo: `Ask for advanced access to each permission. ${NO_EDITOR} Meta wants to see how a person creates a post, and does not say whether that page is enough.`,
    after: "Everybody can connect their Pages.",
    endsLimits: true,
    submission: {
      purpose: purposeOf("Facebook", "The team publishes to Pages that its members manage."),
      reasons: {
        pages_show_list:
          "After the login, this app lists the Pages that the person manages, and the person chooses which of them to connect. It is the way to the Page on which pages_manage_posts is used.",
        pages_read_engagement:
          "This app reads the Page's own posts: it shows the address of a published post, and finds out after an unanswered call whether the post exists.",
        pages_manage_posts:
          "The person writes a post with text, photos or a video in this app, now or for a later date, and the app publishes it on the person's Page.",
        pages_manage_engagement:
          "The person writes a first comment for their own post, and this app publishes it below the post, as the Page.",
        pages_read_user_content:
          "When the answer to a first comment was lost, this app looks for it among the comments under the Page's own post, so that it is not written twice. pages_manage_engagement depends on this permission.",
        read_insights: "This app shows the Page's owner how often the posts were seen.",
        business_management:
          "Pages that belong to a business portfolio are listed only with this permission, which pages_show_list depends on here. The app changes nothing in the portfolio.",
      },
      asks: [
        ...REVIEW_ASKS,
        "for pages_manage_posts: how a person creates a post, and the new post on their Page. Meta names editing and deleting too",
        "for pages_read_engagement: the content of a post, displayed in the app",
        "for pages_show_list: the Pages, successfully connected",
        "for read_insights: the figures, displayed in the app",
        "for business_management: the permission that it is needed for, here pages_show_list",
      ],
      recording: recordingOf({
        name: "Facebook",
        consent:
          "Show Facebook's whole login: sign in, choose the Pages, and agree to each permission. Back here, choose the Page.",
        post: "a text and a photo",
        result: "Open the address: the new post is on the Page.",
      }),
      needsAccess: true,
    },
  },
  accessVerification,
];

export const setupSteps = () => STEPS;
