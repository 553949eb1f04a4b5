import { readLinkToken } from "../../core/link-token.ts";
import type { Deps } from "../../deps.ts";
import { versionOf } from "../posts/version.ts";
import { type BrandedLink, linkById } from "./repo/links.ts";
import { postsOfLink, type ReviewPost } from "./repo/posts.ts";

/** A post as the page shows it. */
export type ShownPost = ReviewPost & {
  /** Its version, which a decision gives back. */
  seen: string;
};

/** A link as its page shows it to whoever holds its token. */
export interface Review {
  token: string;
  link: BrandedLink;
  posts: ShownPost[];
}

/** `withdrawn`: the token is ours, and the link is gone. `expired` has the link, for its branding. */
export type FoundReview =
  | { kind: "forged" | "withdrawn" }
  | { kind: "expired"; link: BrandedLink }
  | { kind: "open"; review: Review };

/** Finds the posts of a token in one round trip: of a forged one the database is not asked. */
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

/** True while a client can decide on the post. */
export const isAwaiting = ({ status, deletedAt }: ReviewPost): boolean =>
  status === "pending_approval" && deletedAt === null;
