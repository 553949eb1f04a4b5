import { ok, type Result, refuse } from "../../core/result.ts";
import type { Stopped } from "../connector.ts";
import { notDeleted } from "../kit/refusals.ts";
import { MISSING, seen } from "../kit/rehearsals.ts";
import { DELETED_OR_HIDDEN, type GraphRefusal } from "../meta/graph.ts";
import type { AccountCall, ReadBack, Removed } from "../removal.ts";
import {
  deletePostRequest,
  getPublishedRequest,
  readDoneReply,
  readGetPublishedReply,
} from "./api.ts";
import { INVALID_PARAMETER, toRefused } from "./failures.ts";

const UNKNOWN_ALIAS = 803;

const isMissing = ({ code, subcode, wording }: GraphRefusal): boolean =>
  subcode === DELETED_OR_HIDDEN ||
  code === UNKNOWN_ALIAS ||
  (code === INVALID_PARAMETER && /\b(?:does not exist|could not be loaded)\b/i.test(wording));

export async function readBack(
  { fetch, accessToken }: AccountCall,
  id: string,
): Promise<Result<ReadBack, Stopped>> {
  const reply = await readGetPublishedReply(await fetch(getPublishedRequest(accessToken, id)));
  if (reply.ok) return seen(reply.value ? "published" : "unpublished");
  return isMissing(reply.error) ? MISSING : refuse(toRefused(reply.error));
}

export async function remove(
  { fetch, accessToken }: AccountCall,
  id: string,
): Promise<Result<Removed, Stopped>> {
  const reply = await readDoneReply(await fetch(deletePostRequest(accessToken, id)));
  if (!reply.ok) return refuse(toRefused(reply.error));
  return reply.value ? ok("deleted") : refuse(notDeleted("Facebook"));
}
