import type { SetupStep } from "../setup-steps.ts";

export const brandingStep: SetupStep = {
  id: "branding",
  kind: "addresses",
  title: "Describe the app",
  todo: 'The first time, press "Get started": it asks for a name, a support address, the audience (External) and a contact address. The name must not look like one of Google, such as YouTube. Then fill in these addresses under Branding, and list the domains of all of them as authorized domains.',
  page: "https://console.cloud.google.com/auth/branding",
  before: "There is no consent screen.",
  after: "The consent screen exists. Google shows name and logo only after the brand is verified.",
  neededFor: "everybody",
  pastes: {
    home: "Application home page",
    privacy: "Application privacy policy link",
    terms: "Application terms of service link",
    domain: "Authorized domains",
  },
};

export const audienceStep: SetupStep = {
  id: "audience",
  kind: "people",
  title: "Name the first people",
  todo: "Under Audience, choose External, and add your own Google account as test user. Up to 100 people fit.",
  page: "https://console.cloud.google.com/auth/audience",
  before: "Nobody can agree.",
  after:
    "Test users can connect. While the app is in testing, Google ends each login after seven days.",
  neededFor: "everybody",
};

export const domainStep: SetupStep = {
  id: "domain",
  kind: "domain",
  title: "Verify the domain",
  todo: "Verify the domain in Google's Search Console, with an account that is owner or editor of the project.",
  page: "https://search.google.com/search-console",
  before: "Google does not accept the app for verification.",
  after: "Brand and scopes can be verified.",
  neededFor: "strangers",
  pastes: { domain: "Domain" },
};

export const brandStep: SetupStep = {
  id: "brand",
  kind: "verification",
  title: "Have the brand verified",
  todo: 'Under Branding, press "Verify branding", and after a good result "Publish branding": the result counts for 7 days. The home page must be on the verified domain, must not be a sign-in form alone, and must lead to the privacy policy, which is on the same domain. It is needed again when name, logo or an address changes.',
  page: "https://developers.google.com/identity/protocols/oauth2/production-readiness/brand-verification",
  before: "The consent screen shows neither name nor logo.",
  after: "It shows both, and the scopes can be verified.",
  takes: "A few minutes; 2 to 3 business days when Google looks at it by hand.",
  neededFor: "strangers",
  pastes: { home: "Application home page", privacy: "Application privacy policy link" },
};
