import { ok, type Result, refuse } from "../../core/result.ts";
import type { Stopped } from "../connector.ts";
import { MISSING, seen } from "../kit/rehearsals.ts";
import type { AccountCall, ReadBack, Removed } from "../removal.ts";
import { deleteVideoRequest, getStatusRequest, readDoneReply, readGetStatusReply } from "./api.ts";
import { toRefused } from "./failures.ts";

export async function readBack(
  { fetch, accessToken, now }: AccountCall,
  id: string,
): Promise<Result<ReadBack, Stopped>> {
  const reply = await readGetStatusReply(await fetch(getStatusRequest(accessToken, id)));
  if (!reply.ok) return refuse(toRefused(reply.error, now()));
  return reply.value ? seen(reply.value.privacyStatus ?? null) : MISSING;
}

const NOT_FOUND = 404;

export async function remove(
  { fetch, accessToken, now }: AccountCall,
  id: string,
): Promise<Result<Removed, Stopped>> {
  const reply = await readDoneReply(await fetch(deleteVideoRequest(accessToken, id)));
  if (reply.ok) return ok("deleted");
  if (reply.error.status === NOT_FOUND) return ok("missing");
  return refuse(toRefused(reply.error, now()));
}
