import * as z from "zod";
import { saveComment } from "../kit/comments.ts";
import { randomText } from "../kit/ids.ts";
import { readJson } from "../kit/input.ts";
import { type Call, deliver } from "../kit/simulator.ts";
import type { SteeredRefusals } from "../kit/steered.ts";
import type { SavedComment } from "../kit/store.ts";
import { authenticate } from "./accounts.ts";
import { badParameter, refusal, requireKnownParameters, requireParts } from "./call.ts";
import { FORCE_SSL, READONLY } from "./consent.ts";
import { REFUSALS } from "./steering.ts";
import { LETTERS, readVideo } from "./videos.ts";

const MAX_CHARACTERS = 10_000;

const commentsDisabled = () =>
  refusal(
    403,
    "commentsDisabled",
    "The video identified by the videoId parameter has disabled comments.",
  );

const COMMENT_REFUSALS: SteeredRefusals = {
  ...REFUSALS,
  failures: {
    rate_limited: (message) => refusal(403, "quotaExceeded", message),
    account_disconnected: REFUSALS.failures.account_disconnected,
    content_flagged: commentsDisabled,
    unknown: (message) => refusal(400, "processingFailure", message),
  },
};

const forbidden = () =>
  refusal(
    403,
    "forbidden",
    "The comment thread could not be created due to insufficient permissions.",
  );

const input = z.strictObject({
  snippet: z.strictObject({
    channelId: z.string(),
    videoId: z.string(),
    topLevelComment: z.strictObject({ snippet: z.strictObject({ textOriginal: z.string() }) }),
  }),
});

const ownVideo = z.object({
  snippet: z.object({ channelId: z.string() }),
  status: z.object({ privacyStatus: z.string(), madeForKids: z.boolean() }),
});

function requireVideo(call: Call, channelId: string, id: string) {
  const video = ownVideo.safeParse(readVideo(call, id, ["snippet", "status"])).data;
  if (video?.snippet.channelId === channelId) return video.status;
  throw refusal(404, "videoNotFound", "The video cannot be found.");
}

const toComment = (row: SavedComment) => {
  const at = new Date(row.created_at).toISOString();
  return {
    kind: "youtube#comment",
    id: row.key,
    snippet: {
      channelId: row.author_id,
      videoId: row.post_key,
      textDisplay: row.text,
      textOriginal: row.text,
      authorDisplayName: row.author,
      authorChannelId: { value: row.author_id },
      canRate: true,
      likeCount: 0,
      publishedAt: at,
      updatedAt: at,
    },
  };
};

const toThread = (row: SavedComment) => ({
  kind: "youtube#commentThread",
  id: row.key,
  snippet: {
    channelId: row.author_id,
    videoId: row.post_key,
    topLevelComment: toComment(row),
    canReply: true,
    totalReplyCount: 0,
    isPublic: true,
  },
});

const invalid = () =>
  refusal(
    400,
    "invalidCommentThreadMetadata",
    "The request metadata is not valid. See the reference for the properties of a thread.",
  );

/** Source: YouTube Data API, "CommentThreads: insert". */
export async function insertThread(call: Call): Promise<Response> {
  const { channel, token } = await authenticate(call, FORCE_SSL);
  requireKnownParameters(call, ["part"]);
  requireParts(call, ["id", "snippet"]);
  const { snippet } = await readJson(call, input, {
    maxBytes: 100_000,
    wrongType: (type) => refusal(400, "badContent", `Unsupported content with type: ${type}`),
    notJson: () => refusal(400, "parseError", "Parse Error"),
    invalid,
  });
  const { videoId } = snippet;
  if (snippet.channelId !== channel.id) {
    throw refusal(404, "channelNotFound", "The channel cannot be found.");
  }
  const text = snippet.topLevelComment.snippet.textOriginal;
  if (text.trim() === "") throw refusal(400, "commentTextRequired", "The text is missing.");
  if (text.length > MAX_CHARACTERS) {
    throw refusal(400, "commentTextTooLong", "The text is too long.");
  }
  const { privacyStatus, madeForKids } = requireVideo(call, channel.id, videoId);
  if (madeForKids) throw refusal(403, "mfkWrite", "The video is made for kids.");
  if (privacyStatus === "private") throw forbidden();
  const { reply, comment } = saveComment(call.env, COMMENT_REFUSALS, {
    key: `Ugx${randomText(LETTERS, 23)}`,
    platform: "youtube",
    post_key: videoId,
    author_id: channel.id,
    author: channel.handle,
    text,
    token,
  });
  return deliver(reply, Response.json(toThread(comment)));
}

const MODERATION = ["published", "heldForReview", "likelySpam"];

/** Source: YouTube Data API, "CommentThreads: list". */
export async function listThreads(call: Call): Promise<Response> {
  const { channel } = await authenticate(call, READONLY);
  requireKnownParameters(call, [
    "part",
    "videoId",
    "order",
    "maxResults",
    "textFormat",
    "moderationStatus",
  ]);
  requireParts(call, ["id", "snippet", "replies"]);
  const query = call.req.query();
  const max = Number(query.maxResults ?? 20);
  if (!Number.isInteger(max) || max < 1 || max > 100) {
    throw badParameter("maxResults", "Values must be within the range: [1, 100]");
  }
  const status = query.moderationStatus ?? "published";
  if (!MODERATION.includes(status)) throw badParameter("moderationStatus", `'${status}'`);
  const id = query.videoId ?? "";
  const { madeForKids, privacyStatus } = requireVideo(call, channel.id, id);
  if (madeForKids || privacyStatus === "private") throw commentsDisabled();
  const rows = status === "published" ? call.env.store.listComments("youtube", id) : [];
  return Response.json({
    kind: "youtube#commentThreadListResponse",
    ...(rows.length > max ? { nextPageToken: "more" } : {}),
    pageInfo: { totalResults: rows.length, resultsPerPage: max },
    items: rows.slice(0, max).map(toThread),
  });
}
