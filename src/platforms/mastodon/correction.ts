import { ok, type Result, refuse } from "../../core/result.ts";
import type { Post, Stopped } from "../connector.ts";
import type { ShownTexts } from "../correction.ts";
import { postText } from "../kit/post-text.ts";
import type { AccountCall } from "../removal.ts";
import {
  call,
  readDoneReply,
  readSourceReply,
  readStatusReply,
  sourceRequest,
  statusPath,
  statusRequest,
} from "./api.ts";
import { toRefused } from "./failures.ts";
import { isSameText } from "./html.ts";
import { serverOfAccount } from "./identity.ts";
import type { MastodonSettings } from "./settings.ts";

/** A server that gets an edit without the poll takes the poll off, with its votes. */
export const textsOf = async (post: Post<MastodonSettings>): Promise<Result<ShownTexts, string>> =>
  post.settings.mastodon_poll_options.length > 0
    ? refuse("Mastodon takes the votes off when a post with a poll is edited.")
    : ok({ description: postText(post) });

/**
 * What an edit leaves out, the server takes off: so it repeats all but the text.
 * @see https://docs.joinmastodon.org/methods/statuses/#edit
 */
export async function correct(
  { account, accessToken, fetch, now }: AccountCall,
  id: string,
  { description = "" }: ShownTexts,
): Promise<Result<null, Stopped>> {
  const server = serverOfAccount(account);
  const reply = await readStatusReply(await fetch(statusRequest(server, accessToken, id)));
  if (!reply.ok) return refuse(toRefused(reply.error, now()));
  const { media_attachments: files, spoiler_text, sensitive, language } = reply.value;
  const request = call(server, statusPath(id), accessToken, {
    method: "PUT",
    json: {
      status: description,
      spoiler_text: spoiler_text ?? "",
      sensitive: sensitive ?? false,
      ...(language === null ? {} : { language }),
      media_ids: files.map((file) => file.id),
    },
  });
  const edited = await readDoneReply(await fetch(request));
  return edited.ok ? ok(null) : refuse(toRefused(edited.error, now()));
}

export async function shows(
  { account, accessToken, fetch, now }: AccountCall,
  id: string,
  { description }: ShownTexts,
): Promise<Result<boolean, Stopped>> {
  const request = sourceRequest(serverOfAccount(account), accessToken, id);
  const reply = await readSourceReply(await fetch(request));
  if (!reply.ok) return refuse(toRefused(reply.error, now()));
  return ok(isSameText(reply.value.text, description ?? ""));
}
