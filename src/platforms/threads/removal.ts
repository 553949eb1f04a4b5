import { ok, type Result, refuse } from "../../core/result.ts";
import type { Stopped } from "../connector.ts";
import { notDeleted } from "../kit/refusals.ts";
import { MISSING, seen } from "../kit/rehearsals.ts";
import { DELETED_OR_HIDDEN } from "../meta/graph.ts";
import type { AccountCall, ReadBack, Removed } from "../removal.ts";
import { deletePostRequest, getPostRequest, readDeletedReply, readGetPostReply } from "./api.ts";
import { judge } from "./failures.ts";

export async function readBack(
  { fetch, accessToken }: AccountCall,
  id: string,
): Promise<Result<ReadBack, Stopped>> {
  const reply = await readGetPostReply(await fetch(getPostRequest(accessToken, id)));
  if (reply.ok) return seen();
  return reply.error.subcode === DELETED_OR_HIDDEN ? MISSING : refuse(judge.toRefused(reply.error));
}

export async function remove(
  { fetch, accessToken }: AccountCall,
  id: string,
): Promise<Result<Removed, Stopped>> {
  const reply = await readDeletedReply(await fetch(deletePostRequest(accessToken, id)));
  if (!reply.ok) return refuse(judge.toRefused(reply.error));
  return reply.value ? ok("deleted") : refuse(notDeleted("Threads"));
}
