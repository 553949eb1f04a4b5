import type { Result } from "../core/result.ts";
import type { Fetch } from "./fetch.ts";
import type { PublishAccount } from "./login.ts";
import type { Stopped } from "./stopped.ts";

/** A page that an account can publish as. */
export interface OrganizationPage {
  id: string;
  name: string;
}

/** A board that pins go onto. */
export interface Board {
  id: string;
  name: string;
  description: string;
  privacy: "PUBLIC" | "SECRET";
}

export interface AudienceStats {
  followerCount: number;
  followingCount: number;
  likesCount: number;
  videoCount: number;
}

/** A comment on a post. `author`: the platform's own id of whoever wrote it. */
export interface PostComment {
  author: string;
  text: string;
  createdAt: Date;
}

/** Reads the comments on posts. */
export interface CommentReader {
  /** The ids of posts that it knows. */
  postId: RegExp;
  /** Such an id, in words for whoever sent another one. */
  example: string;
  /** How its ids are written, in Markdown. */
  written: string;
  /** Says of an account that its comments cannot be read, without its full stop; follows the account's name. */
  refusal: string;
  read(fetch: Fetch, accessToken: string, postId: string): Promise<Result<PostComment[], Stopped>>;
}

/** Questions that one network alone answers; `token_expired`: a fresh token may help. */
export interface Extras {
  pages?(
    fetch: Fetch,
    accessToken: string,
    account: PublishAccount,
  ): Promise<Result<OrganizationPage[], Stopped>>;
  boards?(fetch: Fetch, accessToken: string): Promise<Result<Board[], Stopped>>;
  stats?(fetch: Fetch, accessToken: string): Promise<Result<AudienceStats, Stopped>>;
  comments?: CommentReader;
}
