import type { Deps } from "../../deps.ts";
import { forgetLinks, forgetPosts } from "./repo/links.ts";
import { ENDED_LINKS_KEPT_MS } from "./rules.ts";

/** Links that one run deletes, each with up to 50 posts. */
const SLICE = 50;

export async function forgetEndedReviews({ db, now }: Deps): Promise<string | null> {
  const slice = { before: new Date(now().getTime() - ENDED_LINKS_KEPT_MS), max: SLICE };
  const [, removed] = await db.run([forgetPosts(slice), forgetLinks(slice)]);
  return removed === SLICE ? "more" : null;
}
