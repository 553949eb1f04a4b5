import { ok, type Result, refuse } from "../../core/result.ts";
import type { Stopped } from "../connector.ts";
import { MISSING, seen } from "../kit/rehearsals.ts";
import type { AccountCall, ReadBack, Removed } from "../removal.ts";
import { deleteMessageRequest, getMessageRequest, readContentReply, readDoneReply } from "./api.ts";
import { isMessageGone, toRefused } from "./failures.ts";
import { readPlace, send, senderOf } from "./sender.ts";

export async function readBack(call: AccountCall, id: string): Promise<Result<ReadBack, Stopped>> {
  const sender = senderOf(call);
  const place = readPlace(id);
  const request = getMessageRequest(sender, place);
  const reply = await readContentReply(await send(call, request));
  if (reply.ok) return seen();
  if (isMessageGone(reply.error, place.threadId)) return MISSING;
  return refuse(toRefused(reply.error, call.now()));
}

export async function remove(call: AccountCall, id: string): Promise<Result<Removed, Stopped>> {
  const sender = senderOf(call);
  const place = readPlace(id);
  const request = deleteMessageRequest(sender, place);
  const reply = await readDoneReply(await send(call, request));
  if (reply.ok) return ok("deleted");
  if (isMessageGone(reply.error, place.threadId)) return ok("missing");
  return refuse(toRefused(reply.error, call.now()));
}
