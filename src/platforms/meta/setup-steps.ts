import type { SetupStep } from "../setup-steps.ts";

/** @see https://developers.facebook.com/docs/app-review/submission-guide */
export const REVIEW_ASKS = [
  "one recording for each permission, from the complete login to the use of the permission",
  "a description of its own for each permission: no text twice",
  "the interface in English, at least 1080p, a screen up to 1440 pixels wide, a large cursor; sound is left out",
  "at least one successful call with each permission in the last 30 days, which Meta counts within two days",
  'as app purpose "Clients", when people without a role use the app',
  "access for the reviewers: without it, the whole submission is refused",
];

const REVIEW_TIME = "Meta: a decision within a week.";

export const reviewFacts = {
  page: "https://developers.facebook.com/docs/app-review/submission-guide",
  before: "Only people with a role in the app can connect.",
  takes: REVIEW_TIME,
  neededFor: "strangers" as const,
};

export const developerStep: SetupStep = {
  id: "developer",
  kind: "account",
  title: "Register as developer",
  todo: "Sign in at Meta for Developers, and confirm your phone number or e-mail address.",
  page: "https://developers.facebook.com/documentation/development/register",
  before: "Nothing.",
  after: "You can create apps.",
  neededFor: "everybody",
};

export const basicSettings = (pastes: SetupStep["pastes"]): SetupStep => ({
  id: "basic",
  kind: "addresses",
  title: "Fill in the basic settings",
  todo: "Under App settings, Basic, fill in these addresses, a category, an icon of 1024 x 1024 pixels and a contact address; in the EU also the data protection officer. At User data deletion, choose the callback URL. An app has one such field for all platforms of Meta: with Facebook among them, it takes the address of Facebook. A later change may need a new review.",
  page: "https://developers.facebook.com/docs/development/create-an-app/app-dashboard/basic-settings",
  before: "The app cannot be published.",
  after: "It can.",
  neededFor: "everybody",
  pastes: pastes ?? {},
});

export const businessVerification: SetupStep = {
  id: "business",
  kind: "verification",
  title: "Have your business verified",
  todo: "Connect the app to a business portfolio, and verify the business under App settings, Basic, Verification.",
  page: "https://developers.facebook.com/docs/development/release/business-verification",
  before: "Advanced access cannot be asked for.",
  after: "It can.",
  neededFor: "strangers",
};

export const accessVerification: SetupStep = {
  id: "access-verification",
  kind: "verification",
  title: "Verify yourself as tech provider",
  todo: "When other businesses use the app, the business that owns it has to pass the access verification too. It does not depend on the app review.",
  page: "https://developers.facebook.com/docs/development/release/access-verification",
  before: "Meta refuses the calls that concern data of other businesses.",
  after: "Other businesses can use the app.",
  neededFor: "strangers",
};
