import { ok, type Result, refuse } from "../../core/result.ts";
import type { Stopped } from "../connector.ts";
import { MISSING, seen } from "../kit/rehearsals.ts";
import { DELETED_OR_HIDDEN } from "../meta/graph.ts";
import type { ReadBack, RehearsalCall, RehearsalPlan, Removed } from "../rehearsal.ts";
import {
  deletePostRequest,
  getPublishedRequest,
  readDoneReply,
  readGetPublishedReply,
} from "./api.ts";
import { toRefused } from "./failures.ts";

/** Only people who manage the Page see an unpublished post. */
export const plan = (): Result<RehearsalPlan, Stopped> =>
  ok({ audience: "owner", settings: {}, sample: null, isHidden: true });

export async function readBack(
  { fetch, accessToken }: RehearsalCall,
  id: string,
): Promise<Result<ReadBack, Stopped>> {
  const reply = await readGetPublishedReply(await fetch(getPublishedRequest(accessToken, id)));
  if (reply.ok) return seen(reply.value ? "published" : "unpublished");
  return reply.error.subcode === DELETED_OR_HIDDEN ? MISSING : refuse(toRefused(reply.error));
}

export async function remove(
  { fetch, accessToken }: RehearsalCall,
  id: string,
): Promise<Result<Removed, Stopped>> {
  const reply = await readDoneReply(await fetch(deletePostRequest(accessToken, id)));
  return reply.ok ? ok("deleted") : refuse(toRefused(reply.error));
}
