import type { FieldError } from "../core/errors.ts";
import type { OtherApp, Platform } from "../core/platforms.ts";
import type { Result } from "../core/result.ts";
import type { ConsentPage, Withdrawals } from "./consent.ts";
import type { CorrectionCalls, ShownTexts, TextField } from "./correction.ts";
import type { Extras } from "./extras.ts";
import type { Fetch } from "./fetch.ts";
import type { FormFields } from "./kit/form-fields.ts";
import type { Likeness, SettingWords } from "./likeness.ts";
import type {
  AppCheck,
  AppKeys,
  Connected,
  Credentials,
  EarlyEnd,
  IdentifyOptions,
  LoginForm,
  LoginRefusal,
  PublishAccount,
  ServerLimits,
} from "./login.ts";
import type { Mentions } from "./mentions.ts";
import type { MetricsReader } from "./metrics.ts";
import type { PartKind } from "./part-kinds.ts";
import type { Rehearsal } from "./rehearsal.ts";
import type { PostRemoval } from "./removal.ts";
import type { SetupStep } from "./setup-steps.ts";
import type { Refused, Stopped, TokenExpired } from "./stopped.ts";
import type { PlatformTerms } from "./terms.ts";

export type { Fetch, PublishAccount, Refused, Stopped, TokenExpired };

export type MediaKind = "image" | "video" | "document";

/** Type and size are null until the file is downloaded from its URL. */
export interface PostMedia {
  kind: MediaKind;
  mime: string | null;
  sizeBytes: number | null;
  width: number | null;
  height: number | null;
  /** Precedes the platform's own setting, even when empty. */
  altText?: string;
}

export interface MediaItem extends PostMedia {
  mime: string;
  sizeBytes: number;
  sha256: string;
}

/** A fact that the video's header lacks is null. */
export interface VideoFacts {
  /** `mp4`, `mov` or `webm`. */
  container: string;
  videoCodec: string | null;
  audioCodec: string | null;
  durationSeconds: number | null;
  framesPerSecond: number | null;
  /** Pixels, after the file's rotation. */
  width: number | null;
  height: number | null;
}

/**
 * What the platform downloads. `vertical`: JPEG padded with black to 1080 x 1920. `labelled`: JPEG marked as made
 * with AI.
 */
export type PulledForm = "original" | "jpeg" | "vertical" | "labelled";

export interface Post<S = unknown, M extends PostMedia = PostMedia> {
  title: string | null;
  description: string | null;
  media: M[];
  /** The video's cover, which `media` does not contain. */
  thumbnail?: M | null;
  settings: S;
  /** Files that settings name by URL. A file that is not stored yet is missing. */
  settingFiles?: Readonly<Record<string, M | undefined>>;
}

export interface Target {
  now: Date;
  platformAccountId?: string;
  grantedScopes?: readonly string[];
  serverLimits?: ServerLimits | null;
  at?: Date;
}

/** A post's progress as JSON, from which a later invocation resumes. */
export type Bookmark = Record<string, unknown>;

/** Ids as `PublishedPost` has them. `root` begins the thread; `latest` is the post or part that went out last. */
export interface ReplyTo {
  root: string;
  parent: string;
  latest: string;
}

export interface PublishJob<S = unknown> {
  post: Post<S, MediaItem>;
  account: PublishAccount;
  accessToken: string;
  uploadId: number;
  replyTo?: ReplyTo;
  /** Set by rehearsals: only people who manage the account may see the post. */
  isHidden?: true;
  /** A manual retry counts as a new attempt. */
  attempt: number;
  submittedAt?: Date;
  /** Calls have a deadline and follow no redirects. */
  fetch: Fetch;
  now(): Date;
  readMedia(item: MediaItem, range?: { offset: number; length: number }): Promise<ReadableStream>;
  /**
   * Sends a whole file in one call, which must be safe to repeat, and keeps other runs off the job.
   * @throws after about a minute without progress, after 10 minutes, or when another run has taken the job
   */
  transfer(item: MediaItem, toRequest: (data: ReadableStream) => Request): Promise<Response>;
  /** Returns a signed URL, valid for 6 hours. */
  mediaUrl(item: MediaItem, form?: PulledForm): Promise<string>;
  inspectVideo(item: MediaItem): Promise<VideoFacts | null>;
}

export interface PublishedPost {
  kind: "published";
  platformPostId: string;
  shareUrl: string | null;
  /** Sentences about omitted parts of the post. */
  warnings?: string[];
}

export interface Waiting {
  kind: "waiting";
  bookmark: Bookmark;
  checkAfterSeconds: number;
}

/** Store the bookmark, then call `prepare` again (`next`) or `submit` (`ready`). */
export type Prepared =
  | { kind: "next"; bookmark: Bookmark }
  | { kind: "ready"; bookmark: Bookmark }
  | Waiting
  | Stopped;

/** `waiting`: the platform is processing the accepted post. `unknown`: the post may or may not exist. */
export type Submitted = PublishedPost | Waiting | Stopped | { kind: "unknown"; message: string };

export type Settled = PublishedPost | Waiting | Stopped;

/**
 * Whether an unanswered `submit` made the post. `absent`: surely not. `unknowable`: the platform cannot tell, or
 * several posts match.
 */
export type Reconciled =
  | PublishedPost
  | Waiting
  | TokenExpired
  | { kind: "absent" }
  | { kind: "unknowable"; message: string };

/**
 * An unanswered `submit` is looked up after the sum of these times: the call's limit, late acceptance by the
 * platform, and the delay of its lists.
 */
export interface ReconcileTiming {
  callSeconds: number;
  acceptSeconds: number;
  listSeconds: number;
}

/** A shape in which the platform shows files. Ratios are width divided by height. */
export interface Frame {
  kind: MediaKind;
  minRatio?: number;
  maxRatio?: number;
  /** What happens to a file below or above, behind the platform's name. */
  narrower?: string;
  wider?: string;
  /** What happens then to several files of one post. */
  several?: string;
}

export interface Capabilities {
  limits: {
    postCharacters: number | null;
    photoPostCharacters: number | null;
    titleCharacters: number | null;
    altTextCharacters: number | null;
    linkCharacters: number | null;
    tagsCharacters: number | null;
  };
  /** What counts as a character, for platforms without a counter of their own. Default: UTF-16 units. */
  countedBy?: "graphemes" | "code points";
  /** Texts beside a video have the limit of photo posts too. */
  hasCaptions?: true;
  /** UTF-8 bytes of the text, besides its characters. */
  textBytes?: number;
  /** More characters, once a setting is true. */
  longText?: { setting: string; characters: number };
  frames?: readonly Frame[];
  textField: "title" | "description";
  needsTitle?: boolean;
  batchMaxFiles?: number;
  batchTitleFromDescription?: boolean;
  dailyPostCap: number;
  /** Lower case, without #. */
  bannedHashtags: readonly string[];
  mediaSupport: {
    kinds: MediaKind[];
    maxCount: number;
    textOnly: boolean;
    imageTypes?: string[];
    imageMaxBytes?: number;
    videoTypes?: string[];
    videoMaxBytes?: number;
    documentTypes?: string[];
    documentMaxBytes?: number;
    /** A video's cover. `note` names a higher limit of the platform. */
    thumbnail?: { types: string[]; maxBytes: number; note?: string };
    /** What the owner must set up for some of these files. */
    note?: string;
  };
}

export interface ApiVersion {
  version: string;
  /** Null when no header carries the version. */
  header: string | null;
  /** ISO date. Null when no end is announced. */
  sunset: string | null;
  source: string;
}

/** Files that the platform downloads only from a verified domain of the owner. */
export interface VerifiedPull {
  isNeeded(post: Post): boolean;
  refusal: string;
}

export interface PostReader {
  textOf(post: Pick<Post, "title" | "description">): string;
  hasLink(text: string): boolean;
}

/** The API charges for each post, and more for a link. */
export interface PaidPosts {
  /** US dollars. */
  prices: { post: number; linkPost: number; readUser: number; readPost: number };
  reader(): Promise<PostReader>;
}

/**
 * Refuses text or files that the account has published before. Needs `paidPosts`: of equal simultaneous posts, the
 * first that pays is published.
 */
export interface RepeatRule {
  withinDays: number;
  /** Without full stop, because a colon and the earlier post follow. */
  refusal: string;
  reader(): Promise<Pick<PostReader, "textOf">>;
}

/** An unknown form field with this prefix is refused. */
export interface OwnPrefix {
  prefix: string;
  /** Follows the field's name, without full stop. */
  refusal: string;
}

export interface SettingFile {
  kind: "image" | "subtitles";
  maxBytes: number;
}

/** A batch field that sets some settings of this platform's posts. */
export interface BatchFlag {
  settings: Readonly<Record<string, string>>;
  description: string;
}

export type AcceptedRedirects =
  | "https"
  | "https, or http://127.0.0.1"
  | "https, or http://localhost";

/** What the owner needs before accounts can be connected. */
export interface Needs {
  app: string | null;
  scopes: readonly string[];
  /** Absent where the platform names no rule. */
  redirects?: AcceptedRedirects;
  /** An optional key that replaces an app. `without`: what happens without it. */
  key?: { variable: string; without: string };
}

/** An app that connects only pages. */
export interface PagesApp {
  app: OtherApp;
  isPage(platformAccountId: string): boolean;
  /** Scopes with which the platform's first app may connect pages too. */
  scopes: readonly string[];
  consent: ConsentPage;
}

/** Sentences about an app that the platform has not yet reviewed or audited. */
export interface UntilAudit<S = unknown> {
  /** A warning of every post. Absent where posts of connected accounts are not affected. */
  post?: string;
  /** For people who connect an account. */
  account: string;
  /** The warnings of one post, in place of `post`. */
  warningsOf?(post: Pick<Post<S>, "settings">): readonly string[];
}

/** What may follow a post. Where a kind has no steps of its own, it is a post that replies. */
export interface FollowUps<S = unknown> {
  kinds: readonly PartKind[];
  settingsOf(settings: S): S;
  comment?: Pick<Connector<S>, "prepare" | "submit" | "settle" | "reconcile"> & {
    check(text: string, post: Post<S>, target: Target): Promise<FieldError[]>;
  };
}

export interface PostCorrection<S = unknown> {
  byHand: string;
  fields: readonly TextField[];
  scope?: string;
  calls?: CorrectionCalls & {
    /** The error says why the texts of this post cannot be changed. */
    textsOf(post: Post<S>, id: string): Promise<Result<ShownTexts, string>>;
  };
}

/**
 * `prepare` repeats until one call remains; `submit` makes that call, which cannot be undone; `settle` follows the
 * processing. The runner stores each bookmark before the next step and never repeats `submit` without `reconcile`. A
 * thrown network error means "no answer".
 */
export interface Connector<S = unknown> {
  platform: Platform;
  name: string;
  apiVersion: ApiVersion;
  capabilities: Capabilities;
  needs: Needs;
  mentions: Mentions;
  setupSteps(): Promise<readonly SetupStep[]>;
  timing: ReconcileTiming;
  verifiedPull?: VerifiedPull;
  untilAudit?: UntilAudit<S>;
  paidPosts?: PaidPosts;
  /** Absent where the common rule about repeated posts applies. */
  repeatRule?: RepeatRule;
  onePerBatch?: { refusal: string };
  ownPrefix?: OwnPrefix;
  batchFlags?: Readonly<Record<string, BatchFlag>>;
  settingFiles?: Readonly<Record<string, SettingFile>>;
  settings: FormFields<S>;
  check(post: Post<S>, target: Target): Promise<FieldError[]>;
  likeness(post: Post<S>): Promise<Likeness>;
  /** Omits settings that the likeness shows or that change nothing visible. */
  describeSettings(post: Post<S>): Promise<SettingWords[]>;

  /** Bytes that the platform has received. Absent where files are not sent in pieces. */
  sentBytes?(bookmark: Bookmark, media: readonly MediaItem[]): Promise<number | null>;
  prepare(job: PublishJob<S>, bookmark: Bookmark | null): Promise<Prepared>;
  submit(job: PublishJob<S>, bookmark: Bookmark): Promise<Submitted>;
  settle?(job: PublishJob<S>, bookmark: Bookmark): Promise<Settled>;
  /** @throws Error when the platform cannot tell yet whether the post exists */
  reconcile(job: PublishJob<S>, bookmark: Bookmark): Promise<Reconciled>;
  /**
   * Looks for a post with this content that was published after `since`, without a bookmark. `absent` must be sure.
   * Absent where the platform does not list posts by their content.
   */
  findPublished?(job: PublishJob<S>, since: Date): Promise<Reconciled>;
  followUps?: FollowUps<S>;

  /** Absent where the platform does not want its terms shown. */
  terms?: PlatformTerms;
  consent?: ConsentPage;
  pagesApp?: PagesApp;
  withdrawals?: Withdrawals;
  logins?: readonly LoginForm[];
  /** Like `identify`, after exchanging short-lived tokens for lasting ones. */
  adopt?(
    fetch: Fetch,
    credentials: Credentials,
    options: IdentifyOptions,
    app: AppKeys | null,
  ): Promise<Result<Connected, LoginRefusal>>;
  identify(
    fetch: Fetch,
    credentials: Credentials,
    options: IdentifyOptions,
  ): Promise<Result<Connected, LoginRefusal>>;
  refresh(
    fetch: Fetch,
    credentials: Credentials,
    account: PublishAccount,
    app: AppKeys | null,
  ): Promise<Result<Credentials, LoginRefusal>>;
  /** Read again whenever a login is renewed. Null without an answer. */
  readServerLimits?(
    fetch: Fetch,
    credentials: Credentials,
    account: PublishAccount,
  ): Promise<ServerLimits | null>;
  /** An unused login is renewed this many seconds before its end. */
  refreshAheadSeconds?: number;
  isSelfRenewing?: boolean;
  earlyEnd?: EarlyEnd;
  checkApp?(fetch: Fetch, app: AppKeys, redirectUri: string): Promise<AppCheck>;
  /** Returns a fetch whose calls prove that they come from this app. */
  prove?(network: Fetch, app: AppKeys): Fetch;
  /** Returns a fetch whose calls prove that they come from the login's holder. */
  proveLogin?(network: Fetch, credentials: Credentials): Promise<Fetch>;
  extras?: Extras;
  metrics?: MetricsReader;
  rehearsal: Rehearsal;
  removal: PostRemoval;
  correction: PostCorrection<S>;
  /** Absent where only the person can end the login. */
  revoke?(
    fetch: Fetch,
    credentials: Credentials,
    account: PublishAccount,
    app: AppKeys | null,
  ): Promise<void>;
  /** One revocation ends all logins of the same person. */
  isRevokedForPerson?: true;
}
