import { ok, type Result, refuse } from "../../core/result.ts";
import type { Stopped } from "../connector.ts";
import { isGone } from "../kit/refusals.ts";
import { MISSING, seen } from "../kit/rehearsals.ts";
import type { AccountCall, ReadBack, Removed } from "../removal.ts";
import { call, readDoneReply, readStatusReply, statusPath, statusRequest } from "./api.ts";
import { toRefused } from "./failures.ts";
import { serverOfAccount } from "./identity.ts";

export async function readBack(
  { account, accessToken, fetch, now }: AccountCall,
  id: string,
): Promise<Result<ReadBack, Stopped>> {
  const request = statusRequest(serverOfAccount(account), accessToken, id);
  const reply = await readStatusReply(await fetch(request));
  if (reply.ok) return seen(reply.value.visibility);
  return isGone(reply.error) ? MISSING : refuse(toRefused(reply.error, now()));
}

/** @see https://docs.joinmastodon.org/methods/statuses/#delete */
export async function remove(
  { account, accessToken, fetch, now }: AccountCall,
  id: string,
): Promise<Result<Removed, Stopped>> {
  const request = call(serverOfAccount(account), statusPath(id), accessToken, { method: "DELETE" });
  const reply = await readDoneReply(await fetch(request));
  if (reply.ok) return ok("deleted");
  return isGone(reply.error) ? ok("missing") : refuse(toRefused(reply.error, now()));
}
