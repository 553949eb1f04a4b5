import type { FieldError } from "../core/errors.ts";
import type { Platform } from "../core/platforms.ts";
import type { Result } from "../core/result.ts";
import type { ConsentPage, Withdrawals } from "./consent.ts";
import type { Extras } from "./extras.ts";
import type { Fetch } from "./fetch.ts";
import type { FormFields } from "./kit/form-fields.ts";
import type { Likeness, SettingWords } from "./likeness.ts";
import type {
  AppCheck,
  AppKeys,
  Connected,
  Credentials,
  IdentifyOptions,
  LoginRefusal,
  PasswordLogin,
  PublishAccount,
} from "./login.ts";
import type { MetricsReader } from "./metrics.ts";
import type { Refused, Stopped, TokenExpired } from "./stopped.ts";

export type { Fetch, PublishAccount, Refused, Stopped, TokenExpired };

export type MediaKind = "image" | "video" | "document";

/** A file that is still behind a URL has null facts. */
export interface PostMedia {
  kind: MediaKind;
  mime: string | null;
  sizeBytes: number | null;
  width: number | null;
  height: number | null;
}

export interface MediaItem extends PostMedia {
  mime: string;
  sizeBytes: number;
  /** SHA-256 of the bytes, in lowercase hex. */
  sha256: string;
}

/** Facts from the video's header. A fact that the header lacks is null. */
export interface VideoFacts {
  /** The container is `mp4`, `mov` or `webm`. */
  container: string;
  /** The codec, such as `avc` or `hevc`. An unknown codec is null. */
  videoCodec: string | null;
  audioCodec: string | null;
  durationSeconds: number | null;
  framesPerSecond: number | null;
  /** The width in pixels, after the rotation that the file asks for. */
  width: number | null;
  height: number | null;
}

/**
 * The file as the platform downloads it. `vertical`: JPEG padded with black to 1080 x 1920. `labelled`: JPEG
 * marked as made with AI.
 */
export type PulledForm = "original" | "jpeg" | "vertical" | "labelled";

export interface Post<S = unknown, M extends PostMedia = PostMedia> {
  title: string | null;
  description: string | null;
  media: M[];
  /** The cover of the video, which `media` does not contain. */
  thumbnail?: M | null;
  settings: S;
  /** Stored copies of files that settings name by URL; missing while not stored. */
  settingFiles?: Readonly<Record<string, M | undefined>>;
}

export interface Target {
  now: Date;
  platformAccountId?: string;
  at?: Date;
}

/** JSON about the progress, which a later invocation resumes from. */
export type Bookmark = Record<string, unknown>;

export interface PublishJob<S = unknown> {
  post: Post<S, MediaItem>;
  account: PublishAccount;
  accessToken: string;
  uploadId: number;
  /** Starts at 1; a manual retry counts as a new attempt. */
  attempt: number;
  /** Each call has a deadline and uses the run's budget. Never follows redirects. */
  fetch: Fetch;
  now(): Date;
  readMedia(item: MediaItem, range?: { offset: number; length: number }): Promise<ReadableStream>;
  /**
   * Sends a whole file in one call and keeps the job reserved while bytes move. Only for calls that are safe to
   * repeat.
   * @throws when nothing moves for a minute, after 10 minutes, or when another run has the job
   */
  transfer(item: MediaItem, toRequest: (data: ReadableStream) => Request): Promise<Response>;
  /** Returns a signed URL that works for 6 hours. */
  mediaUrl(item: MediaItem, form?: PulledForm): Promise<string>;
  /** Returns null for a video that cannot be read. */
  inspectVideo(item: MediaItem): Promise<VideoFacts | null>;
}

export interface PublishedPost {
  kind: "published";
  platformPostId: string;
  shareUrl: string | null;
  /** Parts of the post that the platform left out. */
  warnings?: string[];
}

export interface Waiting {
  kind: "waiting";
  bookmark: Bookmark;
  checkAfterSeconds: number;
}

/** `next`: store the bookmark and call `prepare` again. `ready`: only the final call remains. */
export type Prepared =
  | { kind: "next"; bookmark: Bookmark }
  | { kind: "ready"; bookmark: Bookmark }
  | Waiting
  | Stopped;

/** `waiting`: accepted, still processing. `unknown`: the post may or may not exist. */
export type Submitted = PublishedPost | Waiting | Stopped | { kind: "unknown"; message: string };

export type Settled = PublishedPost | Waiting | Stopped;

/**
 * Whether an unanswered submit took effect. `absent`: surely not. `unknowable`: the platform cannot tell, or
 * several posts match.
 */
export type Reconciled =
  | PublishedPost
  | Waiting
  | TokenExpired
  | { kind: "absent" }
  | { kind: "unknowable"; message: string };

/**
 * Seconds before an unanswered `submit` is looked up: the call's time limit, the time in which the platform may still
 * accept the post, and the delay of its lists.
 */
export interface ReconcileTiming {
  callSeconds: number;
  acceptSeconds: number;
  listSeconds: number;
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
  /** The field with the post's text; the other one is a title or an addition. */
  textField: "title" | "description";
  needsTitle?: boolean;
  batchMaxFiles?: number;
  batchTitleFromDescription?: boolean;
  /** Maximum posts that one account may publish in any 24 hours. */
  dailyPostCap: number;
  /** Hashtags that the network hides or refuses, in lower case and without the #. */
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
    /** What the instance needs for some of these files. */
    note?: string;
  };
}

export interface ApiVersion {
  version: string;
  /** The header that carries the version. Null when no header does. */
  header: string | null;
  /** ISO date at which the version ends. Null when no end is announced. */
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

/** Posts cost credits; a link costs more. */
export interface PaidPosts {
  reader(): Promise<PostReader>;
}

/**
 * Refuses text or files that the account has published before. Only for paid platforms: the payment shows
 * which post was first.
 */
export interface RepeatRule {
  withinDays: number;
  /** A sentence without full stop; the earlier post is appended. */
  refusal: string;
  reader(): Promise<Pick<PostReader, "textOf">>;
}

/** An unknown form field with this prefix is refused. */
export interface OwnPrefix {
  prefix: string;
  /** Appended to the field's name, without full stop. */
  refusal: string;
}

export interface SettingFile {
  kind: "image" | "subtitles";
  maxBytes: number;
}

/** A batch field that sets some settings on this network's posts. */
export interface BatchFlag {
  settings: Readonly<Record<string, string>>;
  description: string;
}

/** What the instance's owner needs before real accounts can be connected. */
export interface Needs {
  app: string | null;
  scopes: readonly string[];
  /** The platform's review before strangers can use the app. Null when there is none. */
  review: string | null;
  /** Accepted redirect URLs, in words, for platforms that refuse `http://localhost`. */
  redirects?: string;
  /** An optional key that replaces an app. `without` says what happens without the key. */
  key?: { variable: string; without: string };
}

/**
 * What this service does on a platform. `prepare` repeats until one call remains; `submit` makes that call, which
 * cannot be undone; `settle` follows the processing. The runner stores each bookmark before the next step and never
 * repeats `submit` without `reconcile`. A thrown network error means "no answer".
 */
export interface Connector<S = unknown> {
  platform: Platform;
  name: string;
  apiVersion: ApiVersion;
  capabilities: Capabilities;
  needs: Needs;
  timing: ReconcileTiming;
  verifiedPull?: VerifiedPull;
  paidPosts?: PaidPosts;
  /** Absent where the common rule on repetitions applies. */
  repeatRule?: RepeatRule;
  /** Refuses a second account of this platform in one batch. */
  onePerBatch?: { refusal: string };
  ownPrefix?: OwnPrefix;
  batchFlags?: Readonly<Record<string, BatchFlag>>;
  settingFiles?: Readonly<Record<string, SettingFile>>;
  settings: FormFields<S>;
  /** Everything the network would refuse. Fields have wire names. */
  check(post: Post<S>, target: Target): Promise<FieldError[]>;
  /** The post as readers see it, with the texts that `submit` sends. */
  likeness(post: Post<S>): Promise<Likeness>;
  /** Leaves out settings that the likeness shows or that change nothing visible. */
  describeSettings(post: Post<S>): Promise<SettingWords[]>;

  /** Bytes that the platform has received. Absent where files are not sent in pieces. */
  sentBytes?(bookmark: Bookmark, media: readonly MediaItem[]): Promise<number | null>;
  prepare(job: PublishJob<S>, bookmark: Bookmark | null): Promise<Prepared>;
  submit(job: PublishJob<S>, bookmark: Bookmark): Promise<Submitted>;
  settle?(job: PublishJob<S>, bookmark: Bookmark): Promise<Settled>;
  reconcile(job: PublishJob<S>, bookmark: Bookmark): Promise<Reconciled>;

  consent?: ConsentPage;
  withdrawals?: Withdrawals;
  login?(fetch: Fetch, login: PasswordLogin): Promise<Result<Connected, LoginRefusal>>;
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
  /** An unused login is renewed this many seconds before its end. */
  refreshAheadSeconds?: number;
  isSelfRenewing?: boolean;
  /**
   * Asks the platform whether it knows the owner's app.
   * @param redirectUri where consent pages lead back to
   */
  checkApp?(fetch: Fetch, app: AppKeys, redirectUri: string): Promise<AppCheck>;
  /** Proves with each call that it comes from this app. */
  prove?(network: Fetch, app: AppKeys): Fetch;
  /** Proves with each call that it comes from this login's holder. */
  proveLogin?(network: Fetch, credentials: Credentials): Promise<Fetch>;
  extras?: Extras;
  metrics?: MetricsReader;
  /** Absent where only the person can end our access. */
  revoke?(
    fetch: Fetch,
    credentials: Credentials,
    account: PublishAccount,
    app: AppKeys | null,
  ): Promise<void>;
  /** Revoking one login ends all logins that the same person gave. */
  isRevokedForPerson?: true;
}
