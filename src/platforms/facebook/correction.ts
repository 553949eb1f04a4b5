import { ok, type Result, refuse } from "../../core/result.ts";
import type { Post, Stopped } from "../connector.ts";
import type { ShownTexts } from "../correction.ts";
import { comparable } from "../kit/listings.ts";
import { unavailable } from "../kit/refusals.ts";
import type { AccountCall } from "../removal.ts";
import { getMessageRequest, readDoneReply, readGetMessageReply, updatePostRequest } from "./api.ts";
import { messageOf, shapeOf } from "./check.ts";
import { toRefused } from "./failures.ts";
import type { FacebookSettings } from "./settings.ts";

const POSTS_ALONE = "Facebook lets apps change the text of posts, not of videos and reels.";
/** Facebook takes a missing message for no change. */
const NO_EMPTY_TEXT = "Facebook lets apps change the text of a post, not take it off.";

/** A photo without a post of its own has a single number as its id. */
export function textsOf(post: Post<FacebookSettings>, id: string): Result<ShownTexts, string> {
  const shape = shapeOf(post);
  if (shape === "video" || shape === "reel" || !id.includes("_")) return refuse(POSTS_ALONE);
  const description = messageOf(post);
  return description === "" ? refuse(NO_EMPTY_TEXT) : ok({ description });
}

export async function correct(
  { fetch, accessToken }: AccountCall,
  id: string,
  { description = "" }: ShownTexts,
): Promise<Result<null, Stopped>> {
  const request = updatePostRequest(accessToken, id, description);
  const reply = await readDoneReply(await fetch(request));
  if (!reply.ok) return refuse(toRefused(reply.error));
  return reply.value ? ok(null) : refuse(unavailable("Facebook did not change the post."));
}

export async function shows(
  { fetch, accessToken }: AccountCall,
  id: string,
  { description }: ShownTexts,
): Promise<Result<boolean, Stopped>> {
  const reply = await readGetMessageReply(await fetch(getMessageRequest(accessToken, id)));
  if (!reply.ok) return refuse(toRefused(reply.error));
  return ok(comparable(reply.value) === comparable(description));
}
