import { ok, type Result, refuse } from "../../core/result.ts";
import type { Stopped } from "../connector.ts";
import { failed } from "../kit/refusals.ts";
import { MISSING, seen } from "../kit/rehearsals.ts";
import type { AccountCall, ReadBack, Removed } from "../removal.ts";
import { readDoneReply } from "./api.ts";
import { toRefused } from "./failures.ts";
import { deletePostRequest, getPostRequest, readGetPostReply } from "./posts-api.ts";
import { isOrganization, isPost } from "./urn.ts";

const NOT_FOUND = 404;
const FORBIDDEN = 403;

const USUAL_REFUSAL =
  "LinkedIn refuses that to a person's login. That is normal: only apps with the permission r_member_social may read the posts of a person.";

export const UNNAMED = "LinkedIn has not said which id the post has.";

export async function readBack(
  { account, fetch, accessToken, now }: AccountCall,
  urn: string,
): Promise<Result<ReadBack, Stopped>> {
  if (!isPost(urn)) return refuse(failed("unknown", UNNAMED));
  const reply = await readGetPostReply(await fetch(getPostRequest(accessToken, urn)));
  if (reply.ok) return seen(reply.value);
  const { status } = reply.error;
  if (status === NOT_FOUND) return MISSING;
  const isUsual = status === FORBIDDEN && !isOrganization(account.platformAccountId);
  return refuse(isUsual ? failed("unknown", USUAL_REFUSAL) : toRefused(reply.error, now()));
}

export async function remove(
  { fetch, accessToken, now }: AccountCall,
  urn: string,
): Promise<Result<Removed, Stopped>> {
  if (!isPost(urn)) return refuse(failed("unknown", UNNAMED));
  const reply = await readDoneReply(await fetch(deletePostRequest(accessToken, urn)));
  if (reply.ok) return ok("deleted");
  if (reply.error.status === NOT_FOUND) return ok("missing");
  return refuse(toRefused(reply.error, now()));
}
