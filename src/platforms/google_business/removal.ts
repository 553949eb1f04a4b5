import { ok, type Result, refuse } from "../../core/result.ts";
import type { Stopped } from "../connector.ts";
import { MISSING, seen } from "../kit/rehearsals.ts";
import type { AccountCall, ReadBack, Removed } from "../removal.ts";
import { deletePostRequest, getPostRequest, readDoneReply, readPostReply } from "./api.ts";
import { toRefused } from "./failures.ts";

const NOT_FOUND = 404;

export async function readBack(
  { fetch, accessToken, now }: AccountCall,
  id: string,
): Promise<Result<ReadBack, Stopped>> {
  const reply = await readPostReply(await fetch(getPostRequest(accessToken, id)));
  if (reply.ok) return seen();
  return reply.error.status === NOT_FOUND ? MISSING : refuse(toRefused(reply.error, now()));
}

export async function remove(
  { fetch, accessToken, now }: AccountCall,
  id: string,
): Promise<Result<Removed, Stopped>> {
  const reply = await readDoneReply(await fetch(deletePostRequest(accessToken, id)));
  if (reply.ok) return ok("deleted");
  if (reply.error.status === NOT_FOUND) return ok("missing");
  return refuse(toRefused(reply.error, now()));
}
