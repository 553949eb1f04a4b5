import { ok, type Result, refuse } from "../../core/result.ts";
import type { Post, Stopped } from "../connector.ts";
import type { ShownTexts } from "../correction.ts";
import { comparable } from "../kit/listings.ts";
import { failed } from "../kit/refusals.ts";
import type { AccountCall } from "../removal.ts";
import {
  type ChangeableSnippet,
  getSnippetRequest,
  readDoneReply,
  readGetSnippetReply,
  updateVideoRequest,
} from "./api.ts";
import { toRefused } from "./failures.ts";
import { descriptionOf, titleOf } from "./metadata.ts";
import type { YouTubeSettings } from "./settings.ts";

export const textsOf = (post: Post<YouTubeSettings>): Result<ShownTexts, string> =>
  ok({ title: titleOf(post), description: descriptionOf(post) });

async function readSnippet(
  { fetch, accessToken, now }: AccountCall,
  id: string,
): Promise<Result<ChangeableSnippet, Stopped>> {
  const reply = await readGetSnippetReply(await fetch(getSnippetRequest(accessToken, id)));
  if (!reply.ok) return refuse(toRefused(reply.error, now()));
  if (reply.value) return ok(reply.value);
  return refuse(failed("unknown", "YouTube does not have the video any more."));
}

export async function correct(
  call: AccountCall,
  id: string,
  texts: ShownTexts,
): Promise<Result<null, Stopped>> {
  const snippet = await readSnippet(call, id);
  if (!snippet.ok) return snippet;
  const request = updateVideoRequest(call.accessToken, id, { ...snippet.value, ...texts });
  const reply = await readDoneReply(await call.fetch(request));
  return reply.ok ? ok(null) : refuse(toRefused(reply.error, call.now()));
}

export async function shows(
  call: AccountCall,
  id: string,
  texts: ShownTexts,
): Promise<Result<boolean, Stopped>> {
  const snippet = await readSnippet(call, id);
  if (!snippet.ok) return snippet;
  const { title, description } = { ...snippet.value, ...texts };
  return ok(
    comparable(title) === comparable(snippet.value.title) &&
      comparable(description) === comparable(snippet.value.description),
  );
}
