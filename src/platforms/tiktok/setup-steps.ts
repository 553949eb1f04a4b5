import { purposeOf, recordingOf } from "../kit/submissions.ts";
import type { SetupStep } from "../setup-steps.ts";
import { scopes } from "./capabilities.ts";

const purpose = purposeOf(
  "TikTok",
  "The service is open to everybody whom a team invites. It asks TikTok for the creator's settings before each post, and publishes only what they allow.",
);

const reasons = {
  "user.info.basic":
    "Shows the name and the picture of the connected account, so that the creator sees where a post goes.",
  "user.info.profile": "Shows the handle of the connected account, and leads to its profile.",
  "user.info.stats": "Shows the creator their number of followers.",
  "video.list": "Shows the creator the figures of the videos that they published here.",
  "video.publish":
    "Publishes the video or the photos that the creator sends, with the title, the privacy and the interaction settings that the creator chose.",
  "video.upload":
    "Sends a video to the creator's inbox as a draft, which the creator finishes in TikTok.",
};

const scenes = {
  name: "TikTok",
  consent:
    "Show TikTok's consent page with its whole address and each permission switched on, and agree.",
  account: "The name comes from user.info.basic, the handle from user.info.profile.",
  post: "a video, a title, and a privacy level: SELF_ONLY before the audit (video.publish). Choose also whether comments, duets and stitches are allowed",
  uploaded: "its id at TikTok. A SELF_ONLY video has no address.",
  result: "Open TikTok's app as the creator: the video is on the profile, among the private ones.",
};

const scenesOfScopes = {
  figuresNeed:
    "TikTok lists only public videos (video.list), so the account needs one. Before the audit, publish it in TikTok's own app.",
  also: [
    {
      page: "/docs",
      show: "Open \"Read a TikTok account's figures\", enter the account's id, and send it: the answer has the number of followers (user.info.stats).",
    },
    {
      page: "/docs",
      show: 'Open "Publish one post to one account" again, and send a video with post_mode DRAFT (video.upload).',
    },
    {
      page: null,
      show: "Open the creator's inbox in TikTok's app: the draft is there, and the creator finishes it.",
    },
  ],
};

const STEPS: readonly SetupStep[] = [
  {
    id: "developer",
    kind: "account",
    title: "Register as developer",
    todo: "Sign up at TikTok for Developers, and make an organization: TikTok does not recommend apps of an individual for real use.",
    page: "https://developers.tiktok.com/signup",
    before: "Nothing.",
    after: '"Manage apps" opens.',
    neededFor: "everybody",
  },
  {
    id: "app",
    kind: "app",
    title: "Connect an app",
    todo: "Fill in name, category, description, an icon of 1024 x 1024 pixels (JPEG or PNG, up to 5 MB) and these addresses, and choose the platform Web. The name must not refer to a social media company.",
    page: "https://developers.tiktok.com/apps",
    before: "Nothing.",
    after:
      "The app has a client key and a client secret. It can be called only in a sandbox of TikTok.",
    neededFor: "everybody",
    pastes: {
      terms: "Terms of Service URL",
      privacy: "Privacy Policy URL",
      home: "Web/Desktop URL",
    },
  },
  {
    id: "login-kit",
    kind: "product",
    title: "Add Login Kit",
    todo: "Add the product Login Kit, and register the redirect URL. TikTok leads people back only to https. The webhook's address is optional: there TikTok says when a creator withdraws the consent.",
    page: "https://developers.tiktok.com/doc/login-kit-web",
    before: "Nobody can sign in.",
    after: "People can sign in.",
    neededFor: "everybody",
    pastes: { redirect: "Redirect URI", withdrawn: "Webhook callback URL" },
    scopes: ["user.info.basic"],
  },
  {
    id: "content-posting",
    kind: "product",
    title: "Add the Content Posting API",
    todo: "Add the product Content Posting API, and switch on Direct Post in its configuration.",
    page: "https://developers.tiktok.com/doc/content-posting-api-get-started",
    before: "Nothing can be published.",
    after: "Posts and drafts can be sent.",
    neededFor: "everybody",
  },
  {
    id: "scopes",
    kind: "product",
    title: "Add each scope",
    todo: "Add these scopes to the app. Leave out a scope that you do not need, and name the others in APP_SCOPES: a review wants to see each one in use.",
    page: "https://developers.tiktok.com/doc/tiktok-api-scopes",
    before: "TikTok refuses the login.",
    after: "The consent page asks for them.",
    neededFor: "everybody",
    scopes: [...scopes.required, ...scopes.optional].filter((scope) => scope !== "user.info.basic"),
  },
  {
    id: "urls",
    kind: "domain",
    title: "Verify the addresses",
    todo: "Under URL properties, verify your domain with a DNS record, or this instance's address as URL prefix with a signature file: set TIKTOK_SITE_VERIFICATION to that file's name (tiktokAbC123xyz.txt), deploy, and press Verify. Then set PUBLIC_URL to that address. TikTok wants it for the terms, the privacy policy and the website of the app, and for photos, which it fetches from here. Videos are sent to TikTok.",
    page: "https://developers.tiktok.com/doc/content-posting-api-media-transfer-guide",
    before:
      "Videos can be published. Photos are refused: TikTok takes them only from a verified address.",
    after: "Photos can be published too, and the app can be submitted.",
    neededFor: "everybody",
    pastes: { home: "URL prefix", domain: "Domain" },
  },
  {
    id: "keys",
    kind: "keys",
    title: "Set the keys",
    todo: 'Set the two variables to the client key and the client secret. For the recording of the review, make a sandbox of TikTok first: switch the app to Sandbox, create one with a copy of the settings, or enter products, scopes and redirect URL again, press "Apply changes", and sign in with your account under Target users. Up to 10 accounts fit. Then set the sandbox\'s own pair: its key begins with "sb".',
    page: "https://developers.tiktok.com/doc/add-a-sandbox",
    before: "Nobody can sign in.",
    after:
      "With the keys of a sandbox of TikTok, its target users connect and publish what only they see. With the keys of the app, nobody can before the review.",
    takes: "Up to an hour until TikTok knows a new target user.",
    neededFor: "everybody",
    variables: ["TIKTOK_CLIENT_ID", "TIKTOK_CLIENT_SECRET"],
    isChecked: true,
  },
  {
    id: "review",
    kind: "review",
    title: "Pass the app review",
    todo: "Submit the app with a description of each product and scope, and the recording, made in the sandbox of TikTok. TikTok does not admit apps for private or personal use, and the website must be a finished one, more than a landing page or a sign-in page, with terms and privacy policy in plain sight. After it, set the keys of the app itself. Later changes are reviewed again.",
    page: "https://developers.tiktok.com/doc/app-review-guidelines",
    before: "The app can be used only in a sandbox of TikTok.",
    after:
      "Everybody can connect. Drafts (post_mode DRAFT) work, up to five unfinished ones of a creator in 24 hours, and so does direct posting within the limits of apps without an audit. Who publishes by API for their own accounts alone stays here, and uses drafts.",
    takes: "TikTok: several days to two weeks, without a promise.",
    neededFor: "everybody",
    submission: {
      purpose,
      reasons,
      asks: [
        "how each product and scope works. Leave out the scenes of a scope that your app does not ask for",
        "at least one recording of the complete flow, made in a sandbox of TikTok; up to 5 files of 50 MB",
        "every product and every scope in use",
        "the same domain in the recording as in the app's website address",
      ],
      recording: recordingOf({ ...scenes, ...scenesOfScopes }),
    },
  },
  {
    id: "audit",
    kind: "audit",
    title: "Pass the audit of Direct Post",
    todo: "Apply for it. The form asks for the numeric app id, how many people publish in a day, what this service stores of TikTok's answers, and the recording. TikTok admits what is meant for a wide audience, and no tool for the accounts of your own team. It wants a screen with the creator's nickname, a privacy level without a default, interaction settings, the disclosure of commercial content and the consent text; this version of Akimbo has no such screen.",
    page: "https://developers.tiktok.com/application/content-posting-api",
    before:
      "Five people a day can publish. Their accounts have to be private when they do, and only they see the posts.",
    after: "Every privacy level, public accounts, and as many people as TikTok grants.",
    endsLimits: true,
    neededFor: "everybody",
    submission: {
      purpose,
      reasons,
      asks: [
        "the whole experience of posting to TikTok, with the points 1 to 5 of the UX guidelines",
        "the posted video under TikTok at the end",
        "the full address of the website",
      ],
      recording: recordingOf({ ...scenes, endsWithResult: true }),
    },
  },
];

export const setupSteps = () => STEPS;
