import { ok, type Result, refuse } from "../../core/result.ts";
import type { Post, Stopped } from "../connector.ts";
import type { ShownTexts } from "../correction.ts";
import { comparable } from "../kit/listings.ts";
import type { AccountCall } from "../removal.ts";
import { editMessageRequest, getMessageRequest, readContentReply, readDoneReply } from "./api.ts";
import { postText } from "./check.ts";
import { toRefused } from "./failures.ts";
import { readPlace, send, senderOf } from "./sender.ts";
import type { DiscordSettings } from "./settings.ts";

export const textsOf = (post: Post<DiscordSettings>): Result<ShownTexts, string> =>
  ok({ description: postText(post) });

export async function correct(
  call: AccountCall,
  id: string,
  { description = "" }: ShownTexts,
): Promise<Result<null, Stopped>> {
  const sender = senderOf(call);
  const request = editMessageRequest(sender, readPlace(id), description);
  const reply = await readDoneReply(await send(call, request));
  return reply.ok ? ok(null) : refuse(toRefused(reply.error, call.now()));
}

export async function shows(
  call: AccountCall,
  id: string,
  { description }: ShownTexts,
): Promise<Result<boolean, Stopped>> {
  const sender = senderOf(call);
  const request = getMessageRequest(sender, readPlace(id));
  const reply = await readContentReply(await send(call, request));
  if (!reply.ok) return refuse(toRefused(reply.error, call.now()));
  return ok(comparable(reply.value) === comparable(description));
}
