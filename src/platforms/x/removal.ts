import { ok, type Result, refuse } from "../../core/result.ts";
import type { Stopped } from "../connector.ts";
import { notDeleted } from "../kit/refusals.ts";
import { MISSING, seen } from "../kit/rehearsals.ts";
import type { AccountCall, ReadBack, Removed } from "../removal.ts";
import { deletePostRequest, getPostsRequest, readDeletedReply, readGetPostsReply } from "./api.ts";
import { toRefused } from "./failures.ts";

export async function readBack(
  { fetch, accessToken, now }: AccountCall,
  id: string,
): Promise<Result<ReadBack, Stopped>> {
  const reply = await readGetPostsReply(await fetch(getPostsRequest(accessToken, id)));
  if (!reply.ok) return refuse(toRefused(reply.error, now()));
  return reply.value.includes(id) ? seen() : MISSING;
}

const NOT_FOUND = 404;

export async function remove(
  { fetch, accessToken, now }: AccountCall,
  id: string,
): Promise<Result<Removed, Stopped>> {
  const reply = await readDeletedReply(await fetch(deletePostRequest(accessToken, id)));
  if (reply.ok) return reply.value ? ok("deleted") : refuse(notDeleted("X"));
  if (reply.error.status === NOT_FOUND) return ok("missing");
  return refuse(toRefused(reply.error, now()));
}
