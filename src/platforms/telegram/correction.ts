import { ok, type Result, refuse } from "../../core/result.ts";
import type { Post, Stopped } from "../connector.ts";
import type { ShownTexts } from "../correction.ts";
import type { AccountCall } from "../removal.ts";
import { EDITORS } from "./api.ts";
import { formattedOf } from "./check.ts";
import { isNotModified, judge } from "./failures.ts";
import { captionOf, linkPreview } from "./publish.ts";
import type { TelegramSettings } from "./settings.ts";

/** As JSON: an edit that leaves out formatting, preview or place of the text changes them. */
export function textsOf(post: Post<TelegramSettings>): Result<ShownTexts, string> {
  const formatted = formattedOf(post);
  if (!formatted.ok) return formatted;
  const { text, entities } = formatted.value;
  const edit =
    post.media.length > 0
      ? { caption: "", ...captionOf(formatted.value, post.settings) }
      : { text, entities, ...linkPreview(post.settings) };
  return ok({ description: JSON.stringify(edit) });
}

export async function correct(
  call: AccountCall,
  id: string,
  { description = "{}" }: ShownTexts,
): Promise<Result<null, Stopped>> {
  const edit: Record<string, unknown> = JSON.parse(description);
  const editor = "text" in edit ? EDITORS.text : EDITORS.caption;
  const message_id = Number(id.split(",")[0]);
  const chat_id = call.account.platformAccountId;
  const reply = await editor(call, { chat_id, message_id, ...edit });
  if (reply.ok || isNotModified(reply.error)) return ok(null);
  return refuse(judge.toRefused(reply.error, call.now()));
}

/** Bots cannot read messages, but repeating an edit that has taken effect changes nothing. */
export async function shows(
  call: AccountCall,
  id: string,
  texts: ShownTexts,
): Promise<Result<boolean, Stopped>> {
  const again = await correct(call, id, texts);
  return again.ok ? ok(true) : again;
}
