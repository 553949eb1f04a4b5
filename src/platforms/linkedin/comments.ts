import * as z from "zod";
import { ok, refuse } from "../../core/result.ts";
import type { Stopped } from "../connector.ts";
import type { CommentReader, PostComment } from "../extras.ts";
import { list } from "../kit/metrics.ts";
import { failed } from "../kit/refusals.ts";
import { field } from "../kit/shapes.ts";
import { encodeUrn, get, type LinkedInRefusal, readerOf } from "./api.ts";
import { toRefused } from "./failures.ts";

/** Source: LinkedIn, "Comments API". */
const PAGE = 100;
const MAX_PAGES = 10;

const readCommentsReply = readerOf(field("elements", list));

const comment = z.object({
  actor: z.string().min(1).max(200),
  message: z.object({ text: z.string().max(10_000) }),
  created: z.object({ time: z.number().int().min(0).max(8.64e15) }),
});

/**
 * Omits unreadable comments.
 * @see https://learn.microsoft.com/linkedin/marketing/community-management/shares/comments-api
 */
export const read: CommentReader["read"] = async (fetch, accessToken, postId) => {
  const comments: PostComment[] = [];
  for (let page = 0; page < MAX_PAGES; page++) {
    const path = `socialActions/${encodeUrn(postId)}/comments?start=${page * PAGE}&count=${PAGE}`;
    const reply = await readCommentsReply(await fetch(get(path, accessToken)));
    // A post without comments answers 404.
    if (!reply.ok && reply.error.status === 404) break;
    if (!reply.ok) return refuse(toCommentsRefused(reply.error));
    comments.push(...reply.value.flatMap(toComment));
    if (reply.value.length < PAGE) break;
  }
  return ok(comments);
};

function toComment(element: unknown): PostComment[] {
  const { data } = comment.safeParse(element);
  if (!data) return [];
  return [{ author: data.actor, text: data.message.text, createdAt: new Date(data.created.time) }];
}

const FORBIDDEN = 403;

function toCommentsRefused(refusal: LinkedInRefusal): Stopped {
  if (refusal.status !== FORBIDDEN) return toRefused(refusal);
  const advice =
    "The post has to be the page's own, and the login needs the permission r_organization_social_feed: reconnect the page to give it.";
  return failed("account_disconnected", `${refusal.message} ${advice}`);
}
