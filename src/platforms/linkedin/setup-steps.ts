import { purposeOf, recordingOf } from "../kit/submissions.ts";
import type { SetupStep } from "../setup-steps.ts";
import { scopes } from "./capabilities.ts";

/** @see https://learn.microsoft.com/en-us/linkedin/marketing/increasing-access */
const SCOPES_OF_PAGES = [
  "r_basicprofile",
  "w_member_social",
  "w_organization_social",
  "r_organization_social",
  "rw_organization_admin",
  "r_organization_social_feed",
  "r_member_postAnalytics",
  "w_member_social_feed",
  "w_organization_social_feed",
];

const purpose = purposeOf(
  "LinkedIn",
  "The team publishes texts, images, videos and documents as its own pages, and reads how these posts do.",
);

const reasons = {
  r_basicprofile: "Shows who is signed in, with name and picture.",
  w_member_social: "Publishes the posts that the member writes here for their own profile.",
  w_organization_social: "Publishes the posts that the team writes here as its page.",
  r_organization_social:
    "Reads the page's own posts: to find out whether a post was published after an unanswered call, and to read its figures.",
  rw_organization_admin:
    "Lists the pages that the member administers, to choose one of them, and reads the page's figures.",
  r_organization_social_feed: "Shows the comments on the page's own posts to the team.",
  w_member_social_feed:
    "Publishes the first comment that the member writes here for their own post.",
  w_organization_social_feed:
    "Publishes the first comment that the team writes here for its page's post.",
  r_member_postAnalytics: "Shows the member how the posts do that they published here.",
};

const recording = recordingOf({
  name: "LinkedIn",
  button: "Connect LinkedIn pages",
  consent:
    "Show LinkedIn's consent page with the whole list of permissions, and press Allow. Back here, choose the page.",
  post: "a text and an image",
  uploaded:
    'its address at LinkedIn. The fact "Id on the platform" (urn:li:…) is the postId for the comments.',
  result:
    "Open the address: the post is on the LinkedIn page. Write a comment below it as a member.",
  also: [
    {
      page: "/docs",
      show: 'Open "Read the comments on a post of a LinkedIn page", enter the account\'s id and the postId, and send it: the answer has the comment, with its author.',
    },
  ],
});

/** @see https://learn.microsoft.com/en-us/linkedin/marketing/community-management-app-review */
const asks = [
  "a member who gives access to their page by the complete OAuth flow",
  "a post to the page by this app",
  "how a comment on that post is displayed, and which personal data of the commenter",
  "a high resolution, this app alone, a file that can be downloaded; narration is recommended",
  "an overview of company and product, the use case, and test credentials",
];

const STEPS: readonly SetupStep[] = [
  {
    id: "page",
    kind: "account",
    title: "Have a LinkedIn Page",
    todo: "Every app belongs to a page of LinkedIn. Create one, or use one of which you are a super admin.",
    page: "https://www.linkedin.com/help/linkedin/answer/a543852",
    before: "LinkedIn takes no app.",
    after: "You can create apps.",
    neededFor: "everybody",
  },
  {
    id: "app",
    kind: "app",
    title: "Create the app for people",
    todo: 'Give it a name without "Linked", "In" or "Microsoft", your page, a logo and the privacy policy. Then have the page confirm it: under Settings, press Verify, and open the generated address as super admin of the page. It is valid for 30 days.',
    page: "https://www.linkedin.com/developers/apps/new",
    before: "Nothing.",
    after: "The app has a client id and a secret.",
    neededFor: "everybody",
    pastes: { privacy: "Privacy policy URL" },
  },
  {
    id: "products",
    kind: "product",
    title: "Add the two products",
    todo: 'Under Products, add "Share on LinkedIn" and "Sign In with LinkedIn using OpenID Connect". Both come without a request.',
    page: "https://learn.microsoft.com/en-us/linkedin/shared/authentication/getting-access",
    before: "LinkedIn refuses the login, and names the scope.",
    after: "The app may ask for these scopes.",
    neededFor: "everybody",
    scopes: scopes.required,
  },
  {
    id: "keys",
    kind: "keys",
    title: "Register the redirect URL, and set the keys",
    todo: "Under Auth, register the redirect URL, and set the two variables to the client id and the secret.",
    page: "https://www.linkedin.com/developers/apps",
    before: "Nobody can sign in.",
    after:
      "Every member can connect and publish as themselves, without a review. A login lasts 60 days. LinkedIn lets only some apps renew it: with others, connect again before it ends. For people, this is the last step.",
    neededFor: "everybody",
    pastes: { redirect: "Authorized redirect URLs for your app" },
    variables: ["LINKEDIN_CLIENT_ID", "LINKEDIN_CLIENT_SECRET"],
    isChecked: true,
  },
  {
    id: "pages-app",
    kind: "app",
    title: "Create a second app, for pages",
    todo: "Create it like the first one, with the page of the organization that will ask for the access in the next steps. The Community Management API has to be the only product of its app, so add no other product to this one: LinkedIn refuses openid and profile on it.",
    page: "https://www.linkedin.com/developers/apps/new",
    before: "Pages cannot be connected.",
    after: "The second app exists.",
    neededFor: "pages",
    pastes: { privacy: "Privacy policy URL" },
  },
  {
    id: "pages-verified",
    kind: "verification",
    title: "Have the page confirm the second app",
    todo: "Under Settings, press Verify, and send the generated address to a super admin of the page. It is valid for 30 days. A refusal ends all addresses that were generated.",
    page: "https://www.linkedin.com/help/linkedin/answer/a548360",
    before: "The Community Management API cannot be requested.",
    after: "It can.",
    neededFor: "pages",
  },
  {
    id: "pages-development",
    kind: "review",
    title: "Ask for the Community Management API",
    todo: 'Under Products, request the Development tier. LinkedIn gives it to registered legal organizations alone, for commercial use: the form asks for the legal name and address, a business e-mail address on the organization\'s own domain, its website and the privacy policy. After a refusal, the same app cannot ask again. First comments need it too: then also set APP_SCOPES to {"linkedin_pages":["r_organization_social_feed","r_member_postAnalytics","w_member_social_feed","w_organization_social_feed"]}, and connect again.',
    page: "https://learn.microsoft.com/en-us/linkedin/marketing/community-management-app-review",
    before: "Pages cannot be connected.",
    after: "All scopes of pages, with real data: 500 calls a day for the app, 100 for each member.",
    neededFor: "pages",
    pastes: { home: "Website", privacy: "Privacy policy URL" },
    scopes: SCOPES_OF_PAGES,
    submission: {
      purpose,
      scopes: SCOPES_OF_PAGES,
      reasons,
      asks: [
        "an approved use case: page management",
        "a verified business e-mail address, organization, website and domain",
        "an app that the page of the same organization has confirmed",
      ],
      recording: [],
    },
  },
  {
    id: "pages-keys",
    kind: "keys",
    title: "Set the keys of the second app",
    todo: "Under Auth of the second app, register the same redirect URL, and set the two variables to its client id and secret.",
    page: "https://www.linkedin.com/developers/apps",
    before: "Pages cannot be connected.",
    after: "Administrators can connect their pages and publish as them.",
    neededFor: "pages",
    pastes: { redirect: "Authorized redirect URLs for your app" },
    variables: ["LINKEDIN_PAGES_CLIENT_ID", "LINKEDIN_PAGES_CLIENT_SECRET"],
    isChecked: true,
    differs: {
      variable: "LINKEDIN_PAGES_CLIENT_ID",
      other: "LINKEDIN_CLIENT_ID",
      message:
        "Pages need an app of their own, because the Community Management API has to be its only product.",
    },
  },
  {
    id: "pages-standard",
    kind: "review",
    title: "Ask for the Standard tier",
    todo: "Under Products, ask for the upgrade, with the recording and a way in for the reviewers. Without it, LinkedIn ends the access within twelve months.",
    page: "https://learn.microsoft.com/en-us/linkedin/marketing/community-management-app-review",
    before: "500 calls a day for the app, 100 for each member.",
    after: "No limit of that kind.",
    neededFor: "pages",
    pastes: { privacy: "Privacy policy URL" },
    submission: {
      purpose,
      scopes: SCOPES_OF_PAGES,
      reasons,
      asks,
      recording,
      needsAccess: true,
    },
  },
  {
    id: "pages-sign-off",
    kind: "audit",
    title: "Show it in the technical sign-off",
    todo: "Ask your contact at LinkedIn for a Technical Sign Off, and show the app live. LinkedIn is introducing it step by step.",
    page: "https://learn.microsoft.com/en-us/linkedin/marketing/community-management/integration-requirements-community-management",
    before: "The Standard tier is not complete where LinkedIn asks for the sign-off.",
    after: "It is.",
    neededFor: "pages",
    submission: {
      purpose,
      scopes: SCOPES_OF_PAGES,
      reasons,
      asks: ["a live demonstration of the same things"],
      recording,
    },
  },
];

export const setupSteps = () => STEPS;
