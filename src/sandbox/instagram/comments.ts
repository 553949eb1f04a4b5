import { hasScope } from "../kit/codes.ts";
import { saveComment } from "../kit/comments.ts";
import { deliver, idOf } from "../kit/simulator.ts";
import type { SteeredRefusals } from "../kit/steered.ts";
import { newGraphId } from "../meta/containers.ts";
import {
  type GraphCall,
  graphError,
  invalidParameter,
  mediaError,
  pickRequested,
  serverError,
  toGraphTimestamp,
  unsupported,
} from "../meta/graph.ts";
import { expiredToken } from "../meta/logins.ts";
import { type Account, authenticate } from "./accounts.ts";
import { findMedia } from "./media.ts";

const REFUSALS: SteeredRefusals = {
  expiredToken,
  serverError,
  failures: {
    rate_limited: () => graphError(80_002, "(#80002) There have been too many calls."),
    account_disconnected: () => mediaError(25, 2207050, "The account is restricted or inactive."),
    content_flagged: () => mediaError(4, 2207051, "We restrict certain activity."),
    unknown: () => graphError(100, "(#100) Comments are turned off for this media."),
  },
};

const MAX_CHARACTERS = 2_200;

function requireMedia(call: GraphCall, account: Account): string {
  const id = idOf(call);
  const media = findMedia(call.env.store, account, id);
  if (!media || media.media_product_type === "STORY") throw unsupported(call.req.method, id);
  if (hasScope(call, "instagram", account.name, "instagram_business_manage_comments")) return id;
  throw graphError(10, "(#10) Application does not have permission for this action");
}

/** Source: Meta, "IG Media Comments". */
export async function createComment(call: GraphCall): Promise<Response> {
  const { account, token } = await authenticate(call);
  const message = call.var.params.get("message");
  if (!message) throw invalidParameter("The parameter message is required.");
  if (message.length > MAX_CHARACTERS) throw invalidParameter("The comment is too long.");
  const post_key = requireMedia(call, account);
  const { reply, comment } = saveComment(call.env, REFUSALS, {
    key: newGraphId("178"),
    platform: "instagram",
    post_key,
    author_id: account.userId,
    author: account.username,
    text: message,
    token,
  });
  return deliver(reply, Response.json({ id: comment.key }));
}

/** Source: Meta, "IG Media Comments", limitations. */
const MAX_LISTED = 50;

/** Newest first. */
export async function listComments(call: GraphCall): Promise<Response> {
  const { account } = await authenticate(call);
  const id = requireMedia(call, account);
  const data = call.env.store
    .listComments("instagram", id)
    .slice(0, MAX_LISTED)
    .map((row) =>
      pickRequested(
        call,
        {
          id: row.key,
          text: row.text,
          timestamp: toGraphTimestamp(row.created_at),
          username: row.author,
          from: { id: row.author_id, username: row.author },
        },
        ["id", "text", "timestamp"],
      ),
    );
  return Response.json({ data });
}
