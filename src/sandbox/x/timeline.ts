import { SECOND } from "../../core/time.ts";
import { reactionsTo } from "../kit/audience.ts";
import { pickFields } from "../kit/input.ts";
import { type Call, idOf } from "../kit/simulator.ts";
import type { SandboxStore } from "../kit/store.ts";
import { authenticate, requireSelf } from "./accounts.ts";
import { invalidRequest, requireFields, requireQuery } from "./call.ts";
import { type PostRow, posts } from "./posts.ts";

/** Source: X, "User Posts timeline by User ID". */
const PAGE = { least: 5, max: 100, usual: 10 };
/** Longer texts are complete only in `note_tweet`. */
const MAX_SHOWN = 280;

const PARAMETERS = [
  "max_results",
  "start_time",
  "end_time",
  "since_id",
  "exclude",
  "pagination_token",
  "tweet.fields",
  "post.fields",
];
const FIELDS = [
  "id",
  "text",
  "created_at",
  "entities",
  "attachments",
  "note_tweet",
  "author_id",
  "public_metrics",
  "referenced_tweets",
  "in_reply_to_user_id",
];
const ALWAYS = ["id", "text"];
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/;

function readInstant(query: Record<string, string>, name: string, otherwise: number): number {
  const text = query[name];
  if (text === undefined) return otherwise;
  if (INSTANT.test(text) && !Number.isNaN(Date.parse(text))) return Date.parse(text);
  throw invalidRequest(
    `The \`${name}\` query parameter value [${text}] is not a valid RFC3339 date`,
  );
}

function readPageSize(query: Record<string, string>): number {
  const text = query.max_results ?? String(PAGE.usual);
  const size = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (size >= PAGE.least && size <= PAGE.max) return size;
  throw invalidRequest(
    `The \`max_results\` query parameter value [${text}] is not between ${PAGE.least} and ${PAGE.max}`,
  );
}

function toPost(
  store: SandboxStore,
  row: PostRow,
  fields: readonly string[],
): Record<string, unknown> {
  const { urls, media_keys } = row;
  const points = [...row.shown];
  const isLong = points.length > MAX_SHOWN;
  const entities = urls.length > 0 ? { urls } : undefined;
  const parent = store.parentOf("x", row.id);
  const post = {
    id: row.id,
    text: isLong ? `${points.slice(0, MAX_SHOWN - 1).join("")}…` : row.shown,
    author_id: row.user_id,
    created_at: new Date(Math.floor(row.created_at / SECOND) * SECOND).toISOString(),
    entities,
    attachments: media_keys.length > 0 ? { media_keys } : undefined,
    public_metrics: metricsOf(row),
    note_tweet: isLong ? { text: row.shown, entities } : undefined,
    referenced_tweets: parent === null ? undefined : [{ type: "replied_to", id: parent }],
    in_reply_to_user_id: parent === null ? undefined : row.user_id,
  };
  return pickFields(post, [...ALWAYS, ...fields]);
}

function metricsOf({ user_id, text, created_at }: PostRow) {
  const { views, likes, comments, shares } = reactionsTo(`x ${user_id} ${text}`, created_at);
  const quotes = Math.floor(shares / 4);
  return {
    impression_count: views,
    like_count: likes,
    reply_count: comments,
    retweet_count: shares - quotes,
    quote_count: quotes,
    bookmark_count: 0,
  };
}

/** Source: X, "Get Posts by IDs". */
const MAX_IDS = 100;

export async function readPosts(call: Call): Promise<Response> {
  await authenticate(call);
  const query = requireQuery(call, ["ids", "tweet.fields", "post.fields"]);
  const fields = requireFields(query, ["tweet.fields", "post.fields"], FIELDS);
  const ids = (query.ids ?? "").split(",");
  if (ids.length > MAX_IDS || ids.some((id) => !/^\d{1,19}$/.test(id))) {
    throw invalidRequest(`The \`ids\` query parameter value [${query.ids}] is not valid`);
  }
  const { store, origin } = call.env;
  const rows = ids.flatMap((id) => posts.find(store, { id, team_id: origin.teamId }) ?? []);
  const missing = ids.filter((id) => !rows.some((row) => row.id === id));
  return Response.json({
    ...(rows.length > 0 ? { data: rows.map((row) => toPost(store, row, fields)) } : {}),
    ...(missing.length > 0 ? { errors: missing.map(notFoundError) } : {}),
  });
}

const notFoundError = (id: string) => ({
  value: id,
  resource_id: id,
  resource_type: "tweet",
  parameter: "ids",
  title: "Not Found Error",
  detail: `Could not find tweet with ids: [${id}].`,
  type: "https://api.x.com/2/problems/resource-not-found",
});

export async function listPosts(call: Call): Promise<Response> {
  const { account } = await authenticate(call);
  const userId = idOf(call);
  requireSelf(account, userId);
  const query = requireQuery(call, PARAMETERS);
  const fields = requireFields(query, ["tweet.fields", "post.fields"], FIELDS);
  const size = readPageSize(query);
  const { store, origin } = call.env;
  const rows = posts.list(
    store,
    { user_id: userId, team_id: origin.teamId },
    `AND created_at >= ?3 AND created_at < ?4
     AND (?5 IS NULL OR length(id) = length(?5) AND id < ?5)
     AND (?6 IS NULL OR length(id) = length(?6) AND id > ?6)
     AND (?7 = 0 OR NOT EXISTS (SELECT 1 FROM replies WHERE platform = 'x' AND key = x_posts.id))
     ORDER BY created_at DESC, id DESC LIMIT ?8`,
    readInstant(query, "start_time", 0),
    readInstant(query, "end_time", Number.MAX_SAFE_INTEGER),
    query.pagination_token ?? null,
    query.since_id ?? null,
    Number((query.exclude ?? "").split(",").includes("replies")),
    size + 1,
  );
  const page = rows.slice(0, size);
  const newest = page[0];
  const oldest = page.at(-1);
  return Response.json({
    ...(page.length > 0 ? { data: page.map((row) => toPost(store, row, fields)) } : {}),
    meta: {
      result_count: page.length,
      ...(newest && oldest ? { newest_id: newest.id, oldest_id: oldest.id } : {}),
      ...(rows.length > size && oldest ? { next_token: oldest.id } : {}),
    },
  });
}
