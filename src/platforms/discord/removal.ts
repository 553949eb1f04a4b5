import { ok, type Result, refuse } from "../../core/result.ts";
import type { Stopped } from "../connector.ts";
import { MISSING, seen } from "../kit/rehearsals.ts";
import type { AccountCall, ReadBack, Removed } from "../removal.ts";
import { deleteMessage, getContent } from "./api.ts";
import { isMessageGone, toRefused } from "./failures.ts";
import { readPlace, senderOf } from "./sender.ts";

export async function readBack(call: AccountCall, id: string): Promise<Result<ReadBack, Stopped>> {
  const place = readPlace(id);
  const reply = await getContent(senderOf(call), place);
  if (reply.ok) return seen();
  return isMessageGone(reply.error, place) ? MISSING : refuse(toRefused(reply.error, call.now()));
}

export async function remove(call: AccountCall, id: string): Promise<Result<Removed, Stopped>> {
  const place = readPlace(id);
  const reply = await deleteMessage(senderOf(call), place);
  if (reply.ok) return ok("deleted");
  return isMessageGone(reply.error, place)
    ? ok("missing")
    : refuse(toRefused(reply.error, call.now()));
}
