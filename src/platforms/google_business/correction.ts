import { ok, type Result, refuse } from "../../core/result.ts";
import type { Post, Stopped } from "../connector.ts";
import type { ShownTexts } from "../correction.ts";
import { comparable } from "../kit/listings.ts";
import type { AccountCall } from "../removal.ts";
import { changeSummaryRequest, getPostRequest, readPostReply } from "./api.ts";
import { toRefused } from "./failures.ts";
import { summaryOf } from "./local-post.ts";
import { REJECTED } from "./review.ts";
import type { GoogleBusinessSettings } from "./settings.ts";

export const textsOf = (post: Post<GoogleBusinessSettings>): Result<ShownTexts, string> =>
  ok({ description: summaryOf(post) });

export async function correct(
  { fetch, accessToken, now }: AccountCall,
  id: string,
  { description = "" }: ShownTexts,
): Promise<Result<null, Stopped>> {
  const request = changeSummaryRequest(accessToken, id, description);
  const reply = await readPostReply(await fetch(request));
  if (!reply.ok) return refuse(toRefused(reply.error, now()));
  return reply.value.state === "REJECTED" ? refuse(REJECTED) : ok(null);
}

export async function shows(
  { fetch, accessToken, now }: AccountCall,
  id: string,
  { description }: ShownTexts,
): Promise<Result<boolean, Stopped>> {
  const reply = await readPostReply(await fetch(getPostRequest(accessToken, id)));
  if (!reply.ok) return refuse(toRefused(reply.error, now()));
  const { state, summary } = reply.value;
  if (state === "REJECTED") return refuse(REJECTED);
  return ok(description === undefined || comparable(description) === comparable(summary));
}
