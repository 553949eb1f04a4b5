import { readLinkToken } from "../../core/link-token.ts";
import type { Deps } from "../../deps.ts";
import { versionOf } from "../content/version.ts";
import { type BrandedLink, linkById } from "./repo/links.ts";
import { postsOfLink, type ReviewPost } from "./repo/posts.ts";

export type ShownPost = ReviewPost & {
  /** The version that a decision sends back. */
  seen: string;
};

export interface Review {
  token: string;
  link: BrandedLink;
  posts: ShownPost[];
}

/** `withdrawn`: the token is valid, the link is deleted. */
export type FoundReview =
  | { kind: "forged" | "withdrawn" }
  | { kind: "expired"; link: BrandedLink }
  | { kind: "open"; review: Review };

/** A forged token costs no database call. */
export async function findReview(deps: Deps, token: string): Promise<FoundReview> {
  const id = await readLinkToken(deps.config.signingKey, "review link", token);
  if (id === null) return { kind: "forged" };
  const now = deps.now();
  const [[link], posts] = await deps.db.run([linkById({ id }), postsOfLink({ id, now })]);
  if (!link) return { kind: "withdrawn" };
  if (link.expiresAt <= now) return { kind: "expired", link };
  const shown = await Promise.all(
    posts.map(async (post) => ({ ...post, seen: await versionOf(post) })),
  );
  return { kind: "open", review: { token, link, posts: shown } };
}

export const isAwaiting = ({ status, deletedAt }: ReviewPost): boolean =>
  status === "pending_approval" && deletedAt === null;
