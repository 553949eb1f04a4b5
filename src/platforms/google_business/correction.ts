import { ok, type Result, refuse } from "../../core/result.ts";
import type { Post, Stopped } from "../connector.ts";
import type { ShownTexts } from "../correction.ts";
import { comparable } from "../kit/listings.ts";
import type { AccountCall } from "../removal.ts";
import { changeSummaryRequest, getPostRequest, readDoneReply, readPostReply } from "./api.ts";
import { toRefused } from "./failures.ts";
import { summaryOf } from "./local-post.ts";
import type { GoogleBusinessSettings } from "./settings.ts";

export const textsOf = (post: Post<GoogleBusinessSettings>): Result<ShownTexts, string> =>
  ok({ description: summaryOf(post) });

export async function correct(
  { fetch, accessToken, now }: AccountCall,
  id: string,
  { description = "" }: ShownTexts,
): Promise<Result<null, Stopped>> {
  const request = changeSummaryRequest(accessToken, id, description);
  const reply = await readDoneReply(await fetch(request));
  return reply.ok ? ok(null) : refuse(toRefused(reply.error, now()));
}

export async function shows(
  { fetch, accessToken, now }: AccountCall,
  id: string,
  { description }: ShownTexts,
): Promise<Result<boolean, Stopped>> {
  const reply = await readPostReply(await fetch(getPostRequest(accessToken, id)));
  if (!reply.ok) return refuse(toRefused(reply.error, now()));
  return ok(
    description === undefined || comparable(description) === comparable(reply.value.summary),
  );
}
