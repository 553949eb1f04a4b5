import { now } from "../../core/clock.ts";
import { SECOND } from "../../core/time.ts";
import { hasScope } from "../kit/codes.ts";
import { saveComment } from "../kit/comments.ts";
import { randomDigits } from "../kit/ids.ts";
import { deliver, idOf } from "../kit/simulator.ts";
import {
  type GraphCall,
  graphError,
  invalidParameter,
  toGraphTimestamp,
  unsupported,
} from "../meta/graph.ts";
import { pick, requireKnown, requireParam } from "./call.ts";
import { authenticate, mayPublish, type Page } from "./pages.ts";
import { findPhoto } from "./photos.ts";
import { findPost } from "./posts.ts";
import { REFUSALS } from "./steering.ts";
import { findVideo, videoOfPost } from "./videos.ts";

/** Other programs report that a new reel takes comments only after some time. */
const REEL_MS = 40 * SECOND;

function commentedPost(call: GraphCall, page: Page, id: string): string {
  const video = findVideo(call, page, { id });
  const reel = video?.kind === "reel" ? null : video;
  if (reel) return reel.id;
  const ofPost = videoOfPost(call, page, id);
  const isEarly = ofPost?.kind === "reel" && now().getTime() < (ofPost.ready_at ?? 0) + REEL_MS;
  const exists = findPost(call, page, id) ?? findPhoto(call, page, id);
  if (video || isEarly || !exists) throw unsupported(call.req.method, id);
  return ofPost?.id ?? id;
}

function requireEngagement(call: GraphCall, page: Page): void {
  const person = page.login.replace(/ as \d+$/, "");
  const isGranted = hasScope(call, "facebook", person, "pages_manage_engagement");
  if (isGranted && mayPublish(page)) return;
  throw graphError(200, "(#200) Requires pages_manage_engagement permission to manage the object");
}

const MAX_CHARACTERS = 8_000;

const DEFAULT_FIELDS = ["id", "message", "from", "created_time"];

/** Source: Meta, "Comments and @Mentions". */
export async function createComment(call: GraphCall): Promise<Response> {
  const { page, token } = await authenticate(call);
  requireKnown(call, ["message", "fields"]);
  const message = requireParam(call, "message");
  if (message.length > MAX_CHARACTERS) throw invalidParameter("The comment is too long.");
  requireEngagement(call, page);
  const id = idOf(call);
  const postKey = commentedPost(call, page, id);
  const { reply, comment } = saveComment(call.env, REFUSALS, {
    key: `${id.split("_").at(-1)}_1${randomDigits(14)}`,
    platform: "facebook",
    post_key: postKey,
    author_id: page.id,
    author: page.name,
    text: message,
    token,
  });
  const object = { id: comment.key, permalink_url: permalinkOf(comment.key) };
  return deliver(reply, Response.json(pick(call, object, ["id"])));
}

const permalinkOf = (key: string): string =>
  `https://www.facebook.com/${key.replace("_", "?comment_id=")}`;

const ORDERS = ["chronological", "reverse_chronological"];
const FILTERS = ["toplevel", "stream"];

function choiceOf({ var: { params } }: GraphCall, name: string, values: string[]): string {
  const value = params.get(name) ?? values[0] ?? "";
  if (!values.includes(value)) throw invalidParameter(`Param ${name} must be one of ${values}`);
  return value;
}

export async function listComments(call: GraphCall): Promise<Response> {
  const { page } = await authenticate(call);
  requireKnown(call, ["fields", "filter", "order", "limit"]);
  choiceOf(call, "filter", FILTERS);
  const isReverse = choiceOf(call, "order", ORDERS) === "reverse_chronological";
  const limit = Number(call.var.params.get("limit") ?? 25);
  const newest = call.env.store.listComments("facebook", commentedPost(call, page, idOf(call)));
  const rows = isReverse ? newest : newest.reverse();
  const data = rows.slice(0, limit).map((row) =>
    pick(
      call,
      {
        id: row.key,
        message: row.text,
        from: { id: row.author_id, name: row.author },
        created_time: toGraphTimestamp(row.created_at),
        permalink_url: permalinkOf(row.key),
      },
      DEFAULT_FIELDS,
    ),
  );
  const next = rows.length > limit ? { paging: { next: call.req.url } } : {};
  return Response.json({ data, ...next });
}
