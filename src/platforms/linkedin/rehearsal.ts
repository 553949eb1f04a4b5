import { ok, type Result, refuse } from "../../core/result.ts";
import type { Stopped } from "../connector.ts";
import { failed } from "../kit/refusals.ts";
import { MISSING, seen } from "../kit/rehearsals.ts";
import type { ReadBack, RehearsalCall, RehearsalPlan, Removed } from "../rehearsal.ts";
import { readDoneReply } from "./api.ts";
import { toRefused } from "./failures.ts";
import { deletePostRequest, getPostRequest, readGetPostReply } from "./posts-api.ts";
import { isOrganization, isPost } from "./urn.ts";

/** LinkedIn has no private posts; a page's post is always public. */
export const plan = ({ account }: RehearsalCall): Result<RehearsalPlan, Stopped> =>
  ok(
    isOrganization(account.platformAccountId)
      ? { audience: "everyone", settings: { visibility: "PUBLIC" }, sample: null }
      : { audience: "connections", settings: { visibility: "CONNECTIONS" }, sample: null },
  );

const NOT_FOUND = 404;
const FORBIDDEN = 403;

const USUAL_REFUSAL =
  "LinkedIn refuses that to a person's login. That is normal: only apps with the permission r_member_social may read the posts of a person.";

export async function readBack(
  { account, fetch, accessToken, now }: RehearsalCall,
  urn: string,
): Promise<Result<ReadBack, Stopped>> {
  if (!isPost(urn)) return MISSING;
  const reply = await readGetPostReply(await fetch(getPostRequest(accessToken, urn)));
  if (reply.ok) return seen(reply.value);
  const { status } = reply.error;
  if (status === NOT_FOUND) return MISSING;
  const isUsual = status === FORBIDDEN && !isOrganization(account.platformAccountId);
  return refuse(isUsual ? failed("unknown", USUAL_REFUSAL) : toRefused(reply.error, now()));
}

export async function remove(
  { fetch, accessToken, now }: RehearsalCall,
  urn: string,
): Promise<Result<Removed, Stopped>> {
  if (!isPost(urn)) return ok("missing");
  const reply = await readDoneReply(await fetch(deletePostRequest(accessToken, urn)));
  if (reply.ok) return ok("deleted");
  if (reply.error.status === NOT_FOUND) return ok("missing");
  return refuse(toRefused(reply.error, now()));
}
