import type { Result } from "../core/result.ts";
import type { Fetch } from "./fetch.ts";
import type { PublishAccount } from "./login.ts";
import type { MentionFinder } from "./mentions.ts";
import type { Stopped } from "./stopped.ts";

export interface OrganizationPage {
  id: string;
  name: string;
}

export interface Board {
  id: string;
  name: string;
  description: string;
  privacy: "PUBLIC" | "SECRET";
}

/** What the platform lets a creator choose for a post. Absent values are null. */
export interface Creator {
  username: string | null;
  nickname: string | null;
  avatarUrl: string | null;
  privacyLevels: readonly string[];
  commentDisabled: boolean;
  duetDisabled: boolean;
  stitchDisabled: boolean;
  maxVideoSeconds: number | null;
}

export interface AudienceStats {
  followerCount: number;
  followingCount: number;
  likesCount: number;
  videoCount: number;
}

/** `author` is the platform's id of the writer. */
export interface PostComment {
  author: string;
  text: string;
  createdAt: Date;
}

export interface CommentReader {
  postId: RegExp;
  example: string;
  written: string;
  /** Why an account's comments cannot be read; follows the account's name. */
  refusal: string;
  read(fetch: Fetch, accessToken: string, postId: string): Promise<Result<PostComment[], Stopped>>;
}

export interface Extras {
  pages?(
    fetch: Fetch,
    accessToken: string,
    account: PublishAccount,
  ): Promise<Result<OrganizationPage[], Stopped>>;
  boards?(fetch: Fetch, accessToken: string): Promise<Result<Board[], Stopped>>;
  /** Hosts of a creator's `avatarUrl`, as sources of a page's policy. */
  pictureHosts?: readonly string[];
  creator?(fetch: Fetch, accessToken: string): Promise<Result<Creator, Stopped>>;
  stats?(fetch: Fetch, accessToken: string): Promise<Result<AudienceStats, Stopped>>;
  comments?: CommentReader;
  mentions?: MentionFinder;
}
