import { ok, type Result, refuse } from "../../core/result.ts";
import type { Post, Stopped } from "../connector.ts";
import type { ShownTexts } from "../correction.ts";
import { comparable } from "../kit/listings.ts";
import { postText } from "../kit/post-text.ts";
import type { AccountCall } from "../removal.ts";
import { editMessage, getContent } from "./api.ts";
import { toRefused } from "./failures.ts";
import { readPlace, senderOf } from "./sender.ts";

export const textsOf = (post: Post): Result<ShownTexts, string> =>
  ok({ description: postText(post) });

export async function correct(
  call: AccountCall,
  id: string,
  { description = "" }: ShownTexts,
): Promise<Result<null, Stopped>> {
  const reply = await editMessage(senderOf(call), readPlace(id), description);
  return reply.ok ? reply : refuse(toRefused(reply.error, call.now()));
}

export async function shows(
  call: AccountCall,
  id: string,
  { description }: ShownTexts,
): Promise<Result<boolean, Stopped>> {
  const reply = await getContent(senderOf(call), readPlace(id));
  if (!reply.ok) return refuse(toRefused(reply.error, call.now()));
  return ok(comparable(reply.value) === comparable(description));
}
