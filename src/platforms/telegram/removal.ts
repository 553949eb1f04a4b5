import { ok, type Result, refuse } from "../../core/result.ts";
import type { Stopped } from "../connector.ts";
import { failed, notDeleted } from "../kit/refusals.ts";
import type { AccountCall, ReadBack, Removed } from "../removal.ts";
import { deleteMessages } from "./api.ts";
import { judge } from "./failures.ts";

export const readBack = (): Result<ReadBack, Stopped> =>
  refuse(failed("unknown", "Telegram shows bots no messages, not even their own."));

/** Telegram answers the same for messages that are gone. */
export async function remove(call: AccountCall, id: string): Promise<Result<Removed, Stopped>> {
  const message_ids = id.split(",").map(Number);
  const chat_id = call.account.platformAccountId;
  const reply = await deleteMessages(call, { chat_id, message_ids });
  if (!reply.ok) return refuse(judge.toRefused(reply.error, call.now()));
  return reply.value ? ok("deleted") : refuse(notDeleted("Telegram"));
}
