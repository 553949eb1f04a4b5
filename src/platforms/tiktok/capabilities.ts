import type {
  Capabilities,
  Needs,
  ReconcileTiming,
  UntilAudit,
  VerifiedPull,
} from "../connector.ts";
import type { ConsentScopes } from "../consent.ts";
import type { Mentions } from "../mentions.ts";
import { isForInbox, type TikTokSettings } from "./settings.ts";

export const apiVersion = {
  version: "v2",
  header: null,
  sunset: null,
  source: "https://developers.tiktok.com/doc/changelog",
};

/**
 * `video.list` finds posts whose publish call got no answer.
 * @see https://developers.tiktok.com/doc/tiktok-api-scopes
 */
export const scopes = {
  required: ["user.info.basic", "video.publish"],
  optional: ["user.info.profile", "user.info.stats", "video.upload", "video.list"],
  inWords: {
    "user.info.basic": "read the name and picture",
    "video.publish": "publish posts",
    "user.info.profile": "read the profile",
    "user.info.stats": "read the figures of the account",
    "video.upload": "upload drafts",
    "video.list": "list the posts",
  },
} satisfies ConsentScopes;

export const asks =
  "TikTok shows the account that you are signed in to there and what this app may do: leave every permission switched on.";

export const needs: Needs = {
  app: "An app at developers.tiktok.com with Login Kit and the Content Posting API; for photos also a domain of your own, or a URL prefix, that is verified there, and PUBLIC_URL.",
  scopes: [...scopes.required, ...scopes.optional],
  /** @see https://developers.tiktok.com/doc/login-kit-web */
  redirects: "https",
};

export const mentions: Mentions = {
  syntax: "@username",
  note: "TikTok links names itself. Write @username.",
};

/** TikTok names none; its own pages load pictures of people from these. */
export const pictureHosts = ["", "-us", "-eu"].map((region) => `https://*.tiktokcdn${region}.com`);

export const capabilities = {
  /** UTF-16 units. */
  limits: {
    /** Source: TikTok, "Direct Post", `post_info.title`. */
    postCharacters: 2_200,
    /** Source: TikTok, "Photo Post", `post_info.description`. */
    photoPostCharacters: 4_000,
    /** Longer photo titles are cut. Source: spec, "Content limits by platform". */
    titleCharacters: 90,
    altTextCharacters: null,
    linkCharacters: null,
    tagsCharacters: null,
  },
  frames: [{ kind: "video", maxRatio: 9 / 16, wider: "shows this with bars: its screen is 9:16" }],
  textField: "title",
  /** Source: spec, "Bulk upload". */
  batchTitleFromDescription: true,
  /** Per 24 hours. Source: spec, "Daily caps". */
  dailyPostCap: 15,
  /** TikTok blocks searches for these. Source: its statements of September 2021 and June 2025. */
  bannedHashtags: ["deviouslicks", "skinnytok"],
  mediaSupport: {
    kinds: ["image", "video"],
    /** Source: spec, "Uploads: create", `tiktok` photos. */
    maxCount: 35,
    textOnly: false,
    /** Source: spec, "Uploads: create", `tiktok` photos. */
    imageTypes: ["image/jpeg", "image/webp"],
    /** Source of this and the following limits: spec, "Content limits by platform". */
    imageMaxBytes: 20_000_000,
    videoTypes: ["video/mp4", "video/webm", "video/quicktime"],
    videoMaxBytes: 4_000_000_000,
    note: "TikTok fetches photos from this instance: its owner has to verify the domain or URL prefix in TikTok's developer portal, and set it as PUBLIC_URL. Videos do not need this.",
  },
} satisfies Capabilities;

/**
 * TikTok downloads photos itself.
 * @see https://developers.tiktok.com/doc/content-posting-api-media-transfer-guide
 */
export const verifiedPull: VerifiedPull = {
  isNeeded: ({ media }) => media.some(({ kind }) => kind === "image"),
  refusal:
    "TikTok fetches photos only from a verified address, and this instance has none. Its owner has to verify the domain, or the address as URL prefix, in TikTok's developer portal, and set PUBLIC_URL and TIKTOK_SITE_VERIFICATION. Videos work without it.",
};

const AUDIT = "TikTok has not audited this instance's app";

const PRIVATE_ONLY = `${AUDIT}. The account has to be private when the post goes out, only its creator sees the post, and five accounts a day can post through the app. Drafts (post_mode DRAFT) have no such rule: an app for your own accounts alone, which TikTok does not audit, sends those.`;

/**
 * TikTok names no such rules for drafts.
 * @see https://developers.tiktok.com/doc/content-sharing-guidelines
 */
export const untilAudit: UntilAudit<TikTokSettings> = {
  post: PRIVATE_ONLY,
  account: `${AUDIT}. Until then, make the account private in TikTok's app before it posts; only its creator sees the posts, and five accounts a day can post. Drafts, which their creator finishes in TikTok's app, have no such rule.`,
  warningsOf: ({ settings }) => {
    if (isForInbox(settings)) return [];
    const { privacy_level, brand_content_toggle } = settings;
    if (privacy_level === "SELF_ONLY") return [PRIVATE_ONLY];
    const outcome = brand_content_toggle
      ? "TikTok refuses the post, because branded content cannot be private"
      : "the post becomes SELF_ONLY";
    return [
      PRIVATE_ONLY,
      `TikTok: privacy_level ${privacy_level} works after the audit; until then, ${outcome}. After it, the instance's owner adds tiktok to AUDITED_PLATFORMS.`,
    ];
  },
};

/** TikTok lists new posts with a delay. */
export const timing: ReconcileTiming = { callSeconds: 30, acceptSeconds: 60, listSeconds: 60 };
