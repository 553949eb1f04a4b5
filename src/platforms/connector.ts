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

/** One file of a post. Null is not known yet: the file is still behind a URL. */
export interface PostMedia {
  kind: MediaKind;
  mime: string | null;
  sizeBytes: number | null;
  /** Pixels, where the header said so. */
  width: number | null;
  height: number | null;
}

/** A file in storage, as known from its bytes. */
export interface MediaItem extends PostMedia {
  mime: string;
  sizeBytes: number;
  /** Lowercase hex. */
  sha256: string;
}

/** Facts of a video's own header. Null where it does not say. */
export interface VideoFacts {
  /** `mp4`, `mov` or `webm`, by the file's own brand. */
  container: string;
  /** Such as `avc`, `hevc`, `vp9`; null when there is none that we know. */
  videoCodec: string | null;
  audioCodec: string | null;
  durationSeconds: number | null;
  framesPerSecond: number | null;
  /** Pixels as shown: rotation applied. */
  width: number | null;
  height: number | null;
}

/**
 * Form in which a file is pulled. `jpeg`: an image as JPEG in its own size. `vertical`: an image as JPEG,
 * padded with black to 1080 x 1920. `labelled`: an image as JPEG that says in its own metadata that it
 * was made by AI.
 */
export type PulledForm = "original" | "jpeg" | "vertical" | "labelled";

/** A post in our words. `settings` are this network's own form fields, parsed. */
export interface Post<S = unknown, M extends PostMedia = PostMedia> {
  title: string | null;
  description: string | null;
  media: M[];
  /** A picture for the video, where the network takes one of its own (`thumbnail`); not in `media`. */
  thumbnail?: M | null;
  settings: S;
  /** Stored copies of the files that settings name by address, by setting; without those that are still elsewhere. */
  settingFiles?: Readonly<Record<string, M | undefined>>;
}

/** The moment in which a post is judged; the account it goes to and when it goes out, where these count. */
export interface Target {
  now: Date;
  platformAccountId?: string;
  at?: Date;
}

/** Progress of a publish, so that another invocation can go on. JSON, opaque to everybody else. */
export type Bookmark = Record<string, unknown>;

export interface PublishJob<S = unknown> {
  post: Post<S, MediaItem>;
  account: PublishAccount;
  accessToken: string;
  uploadId: number;
  /** 1-based; a manual retry is a new attempt. */
  attempt: number;
  /** Carries the deadline of one call and the budget of the run. Never follows redirects. */
  fetch: Fetch;
  now(): Date;
  /** The bytes of a file, whole or from `offset` for `length` bytes. */
  readMedia(item: MediaItem, range?: { offset: number; length: number }): Promise<ReadableStream>;
  /**
   * Makes one call whose body holds a whole file, for as long as its bytes move: neither the deadline of
   * a call nor the lease of the job ends it, as that is renewed on the way. For steps that may be
   * repeated: not for the call that cannot be undone, whose time is that of `fetch`.
   *
   * @param toRequest makes the call of the file's bytes
   * @throws when it broke off: nothing moved for about a minute, it took more than 10, or somebody else
   * has taken the job
   */
  transfer(item: MediaItem, toRequest: (data: ReadableStream) => Request): Promise<Response>;
  /** A signed address of ours that the platform can pull the file from for 6 hours. */
  mediaUrl(item: MediaItem, form?: PulledForm): Promise<string>;
  /** Reads the header of a video by a few ranged reads; null for what is no readable video. */
  inspectVideo(item: MediaItem): Promise<VideoFacts | null>;
}

export interface PublishedPost {
  kind: "published";
  platformPostId: string;
  /** Null where the platform gives the post no address. */
  shareUrl: string | null;
  /** Parts of the post that the platform did not take, where that is no reason to fail it. */
  warnings?: string[];
}

export interface Waiting {
  kind: "waiting";
  bookmark: Bookmark;
  checkAfterSeconds: number;
}

/** `next`: a step is done, store the bookmark and come back. `ready`: only the final call is left. */
export type Prepared =
  | { kind: "next"; bookmark: Bookmark }
  | { kind: "ready"; bookmark: Bookmark }
  | Waiting
  | Stopped;

/** `waiting`: accepted, the platform still works on it. `unknown`: it may or may not exist. */
export type Submitted = PublishedPost | Waiting | Stopped | { kind: "unknown"; message: string };

export type Settled = PublishedPost | Waiting | Stopped;

/**
 * The platform's knowledge of a post whose submit had no readable answer. `absent`: surely not there,
 * it may be submitted again. `unknowable`: it cannot be asked, or the answer fits more than one post.
 */
export type Reconciled =
  | PublishedPost
  | Waiting
  | TokenExpired
  | { kind: "absent" }
  | { kind: "unknowable"; message: string };

/**
 * Time that an undecided submit has to rest before the platform can be asked about it: the call's own
 * deadline, the latest moment it may still accept, and the lag of its listings. Seconds.
 */
export interface ReconcileTiming {
  callSeconds: number;
  acceptSeconds: number;
  listSeconds: number;
}

/** The limits of a platform: the one source of the capabilities read, validation and the document. */
export interface Capabilities {
  /** Null where the platform has no such field. */
  limits: {
    postCharacters: number | null;
    photoPostCharacters: number | null;
    titleCharacters: number | null;
    altTextCharacters: number | null;
    linkCharacters: number | null;
    tagsCharacters: number | null;
  };
  /** The field that carries a post's text; the other one is a title or label, or goes with it. */
  textField: "title" | "description";
  /** A post needs a title besides its text. */
  needsTitle?: boolean;
  /** Most files of a post in a batch, where fewer than alone. */
  batchMaxFiles?: number;
  /** In a batch the description is the title of a post that has none. */
  batchTitleFromDescription?: boolean;
  /** Posts in any 24 hours, per account. */
  dailyPostCap: number;
  /** Hashtags that the network hides or refuses: lower case, without the #. */
  bannedHashtags: readonly string[];
  mediaSupport: {
    kinds: MediaKind[];
    maxCount: number;
    /** True where a post may be a text alone. */
    textOnly: boolean;
    /** Each pair only where `kinds` has that kind. */
    imageTypes?: string[];
    imageMaxBytes?: number;
    videoTypes?: string[];
    videoMaxBytes?: number;
    documentTypes?: string[];
    documentMaxBytes?: number;
    /** Needs of the instance itself for some of it, in a sentence. */
    note?: string;
  };
}

/** The version of a platform's API that its connector speaks. */
export interface ApiVersion {
  /** As it is written in paths or in the header. */
  version: string;
  /** The header that carries it; null where it stands in the path, or nowhere. */
  header: string | null;
  /** ISO date from which the platform no longer serves it; null where none is announced. */
  sunset: string | null;
  /** The page on which the platform announces its versions. */
  source: string;
}

/** Files that a platform fetches from us, and only from a domain that it has verified as the owner's. */
export interface VerifiedPull {
  isNeeded(post: Post): boolean;
  /** Advice where no such domain is known, in sentences. */
  refusal: string;
}

/** Reads a post as the network gets it. */
export interface PostReader {
  textOf(post: Pick<Post, "title" | "description">): string;
  hasLink(text: string): boolean;
}

/** Posts that the team pays for with credits, more for one with a link. */
export interface PaidPosts {
  reader(): Promise<PostReader>;
}

/**
 * Posts that are refused because the account has published the same text or file before. For a platform whose posts
 * are paid: the payment shows which of several posts was the first.
 */
export interface RepeatRule {
  withinDays: number;
  /** Says so, without its full stop: the earlier post follows. */
  refusal: string;
  reader(): Promise<Pick<PostReader, "textOf">>;
}

/** Form fields that begin like this network's own; one that is none of them is refused. */
export interface OwnPrefix {
  prefix: string;
  /** Follows the name of such a field, without its full stop. */
  refusal: string;
}

/** A file that a setting names by its address. */
export interface SettingFile {
  kind: "image" | "subtitles";
  maxBytes: number;
}

/** A flag of a batch that gives this network's posts in it some settings. */
export interface BatchFlag {
  /** As the form brings them. */
  settings: Readonly<Record<string, string>>;
  description: string;
}

/** Needs of the owner of an instance before accounts of a platform can be connected for real. */
export interface Needs {
  /** The developer app, in a sentence; null where none is needed. */
  app: string | null;
  /** OAuth scopes, as the platform writes them. */
  scopes: readonly string[];
  /** The platform's review before strangers may use the app; null where there is none. */
  review: string | null;
  /** Which redirect URLs it takes, in words, where `http://localhost` is none of them. */
  redirects?: string;
  /** A key of this instance's own, where that takes the place of an app; accounts are connected without it too. */
  key?: { variable: string; without: string };
}

/**
 * Our side of a platform. Publishing has three parts: `prepare` in repeatable steps until only one
 * call is left, `submit` makes that call, which cannot be undone, and `settle` follows what the
 * platform makes of it. The runner stores each bookmark before the next step and never calls `submit`
 * again without `reconcile`. A thrown network error means "no answer" and is the runner's to judge.
 */
export interface Connector<S = unknown> {
  platform: Platform;
  /** The platform's own spelling of its name. */
  name: string;
  apiVersion: ApiVersion;
  capabilities: Capabilities;
  needs: Needs;
  timing: ReconcileTiming;
  /** Absent where any address of ours will do. */
  verifiedPull?: VerifiedPull;
  /** Absent where posts cost nothing. */
  paidPosts?: PaidPosts;
  /** Absent where the rule on repetitions that all platforms share will do. */
  repeatRule?: RepeatRule;
  /** Refuses a second account of this platform in a batch; absent where a batch takes any number. */
  onePerBatch?: { refusal: string };
  ownPrefix?: OwnPrefix;
  /** Fields that a batch has and a single post does not, by name. */
  batchFlags?: Readonly<Record<string, BatchFlag>>;
  /** Settings that name a file by its address; the file goes out with the post. Absent where there are none. */
  settingFiles?: Readonly<Record<string, SettingFile>>;
  /** This network's form fields; the body is composed of those of all networks. */
  settings: FormFields<S>;
  /** Everything in the post that the network would refuse, by post and target alone. Wire field names. */
  check(post: Post<S>, target: Target): Promise<FieldError[]>;
  /** The post as readers of the network will see it, with the very texts that `submit` sends. */
  likeness(post: Post<S>): Promise<Likeness>;
  /** Describes a post's settings for people; left out are those that the likeness shows, and that nobody sees. */
  describeSettings(post: Post<S>): Promise<SettingWords[]>;

  /**
   * Returns how many bytes of the post's files the platform has, by a bookmark of `prepare`; null where it does
   * not say. Absent where files do not go out in pieces.
   */
  sentBytes?(bookmark: Bookmark, media: readonly MediaItem[]): Promise<number | null>;
  prepare(job: PublishJob<S>, bookmark: Bookmark | null): Promise<Prepared>;
  submit(job: PublishJob<S>, bookmark: Bookmark): Promise<Submitted>;
  settle?(job: PublishJob<S>, bookmark: Bookmark): Promise<Settled>;
  reconcile(job: PublishJob<S>, bookmark: Bookmark): Promise<Reconciled>;

  /** Connecting by the platform's consent page. */
  consent?: ConsentPage;
  /** Absent where the platform does not tell. */
  withdrawals?: Withdrawals;
  /** Login by identifier and app password, where the network has that. */
  login?(fetch: Fetch, login: PasswordLogin): Promise<Result<Connected, LoginRefusal>>;
  /**
   * Connects by tokens that somebody brings along: as `identify`, once those that would soon end are
   * exchanged for lasting ones, or refused with what to do. Absent where there is nothing to exchange.
   */
  adopt?(
    fetch: Fetch,
    credentials: Credentials,
    options: IdentifyOptions,
    app: AppKeys | null,
  ): Promise<Result<Connected, LoginRefusal>>;
  /** Returns whose tokens these are. */
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
  /**
   * How long before its end a login is renewed although nobody uses it, in seconds; absent where a
   * login that is not used keeps.
   */
  refreshAheadSeconds?: number;
  /** An access token is renewed by itself: there is no refresh token. */
  isSelfRenewing?: boolean;
  /**
   * Asks the platform by one call whether it knows the owner's app, without any person. Absent where there
   * is no app.
   *
   * @param redirectUri the address that consent pages lead back to
   */
  checkApp?(fetch: Fetch, app: AppKeys, redirectUri: string): Promise<AppCheck>;
  /** The network, each call to which proves that it comes from the app whose keys these are. */
  prove?(network: Fetch, app: AppKeys): Fetch;
  /** The network, each call to which proves that it comes from whoever this login was granted to. */
  proveLogin?(network: Fetch, credentials: Credentials): Promise<Fetch>;
  extras?: Extras;
  /** Absent where nothing is known of how posts do. */
  metrics?: MetricsReader;
  /** Ends our access at the platform; absent where only the person can, in its own settings. */
  revoke?(
    fetch: Fetch,
    credentials: Credentials,
    account: PublishAccount,
    app: AppKeys | null,
  ): Promise<void>;
  /** To revoke a login ends those of other accounts that the same person gave. */
  isRevokedForPerson?: true;
}
