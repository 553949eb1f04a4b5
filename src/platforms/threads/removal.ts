import { ok, type Result, refuse } from "../../core/result.ts";
import type { Stopped } from "../connector.ts";
import { failed, notDeleted } from "../kit/refusals.ts";
import { MISSING, seen } from "../kit/rehearsals.ts";
import { isUnnamed } from "../meta/containers.ts";
import { DELETED_OR_HIDDEN } from "../meta/graph.ts";
import type { AccountCall, ReadBack, Removed } from "../removal.ts";
import { deletePostRequest, getPostRequest, readDeletedReply, readGetPostReply } from "./api.ts";
import { judge, CONTAINER_MISSING as NOT_FOUND } from "./failures.ts";

const MISSING_SUBCODES = new Set<number | null>([DELETED_OR_HIDDEN, NOT_FOUND]);

const UNNAMED = failed("unknown", "Threads has not said which id the post has.");

export async function readBack(
  { fetch, accessToken }: AccountCall,
  id: string,
): Promise<Result<ReadBack, Stopped>> {
  if (isUnnamed(id)) return refuse(UNNAMED);
  const reply = await readGetPostReply(await fetch(getPostRequest(accessToken, id)));
  if (reply.ok) return seen();
  return MISSING_SUBCODES.has(reply.error.subcode) ? MISSING : refuse(judge.toRefused(reply.error));
}

export async function remove(
  { fetch, accessToken }: AccountCall,
  id: string,
): Promise<Result<Removed, Stopped>> {
  if (isUnnamed(id)) return refuse(UNNAMED);
  const reply = await readDeletedReply(await fetch(deletePostRequest(accessToken, id)));
  if (!reply.ok) return refuse(judge.toRefused(reply.error));
  return reply.value ? ok("deleted") : refuse(notDeleted("Threads"));
}
