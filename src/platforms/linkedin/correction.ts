import { ok, type Result, refuse } from "../../core/result.ts";
import type { Post, Stopped } from "../connector.ts";
import type { ShownTexts } from "../correction.ts";
import { comparable } from "../kit/listings.ts";
import type { AccountCall } from "../removal.ts";
import { readDoneReply } from "./api.ts";
import { toRefused } from "./failures.ts";
import { readLittleText } from "./little-text.ts";
import { commentaryOf } from "./post.ts";
import { getPostRequest, readGetCommentaryReply, updatePostRequest } from "./posts-api.ts";
import { UNNAMED } from "./removal.ts";
import type { LinkedInSettings } from "./settings.ts";
import { isPost } from "./urn.ts";

export function textsOf(post: Post<LinkedInSettings>, urn: string): Result<ShownTexts, string> {
  return isPost(urn) ? ok({ description: commentaryOf({ post }) }) : refuse(UNNAMED);
}

export async function correct(
  { fetch, accessToken, now }: AccountCall,
  urn: string,
  { description = "" }: ShownTexts,
): Promise<Result<null, Stopped>> {
  const request = updatePostRequest(accessToken, urn, description);
  const reply = await readDoneReply(await fetch(request));
  return reply.ok ? ok(null) : refuse(toRefused(reply.error, now()));
}

const plain = (commentary = ""): string => comparable(readLittleText(commentary));

export async function shows(
  { fetch, accessToken, now }: AccountCall,
  urn: string,
  { description }: ShownTexts,
): Promise<Result<boolean, Stopped>> {
  const reply = await readGetCommentaryReply(await fetch(getPostRequest(accessToken, urn)));
  if (!reply.ok) return refuse(toRefused(reply.error, now()));
  return ok(plain(reply.value) === plain(description));
}
