import { now } from "../../core/clock.ts";
import { detectFileType } from "../../core/file-type.ts";
import { toHex } from "../../core/ids.ts";
import { SECOND } from "../../core/time.ts";
import { reactionsTo } from "../kit/audience.ts";
import { randomText } from "../kit/ids.ts";
import { pickFields, readBody } from "../kit/input.ts";
import { type Call, deliver, type PostByHand } from "../kit/simulator.ts";
import { steer } from "../kit/steered.ts";
import { processingSeconds } from "../kit/steering.ts";
import { integer, json, key, type RowOf, Table, text } from "../kit/table.ts";
import { authenticate, type Channel, requireDeletion } from "./accounts.ts";
import { badParameter, readObject, refusal, requireKnownParameters, requireParts } from "./call.ts";
import { READONLY } from "./consent.ts";
import { type Resource, readResource } from "./metadata.ts";
import { type Finding, REFUSALS } from "./steering.ts";

export const videos = new Table(
  "youtube_videos",
  {
    id: key(),
    team_id: integer(),
    channel_id: text(),
    channel_title: text(),
    resource: json<Resource>(),
    created_at: integer(),
    done_at: integer(),
    outcome: text<"processed" | "failed" | "rejected">(),
    reason: text(),
  },
  { indexes: { by_channel: "channel_id, team_id, created_at" } },
);

type Video = RowOf<typeof videos>;

export const textOf = ({ snippet }: Resource): string =>
  [snippet.title, snippet.description].filter(Boolean).join("\n");

export const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

interface NewVideo {
  channel: Channel;
  resource: Resource;
  notify: boolean;
  mediaId: number;
  /** A video that will fail never appears in the feed. */
  finding: Finding | null;
}

/** The creator's account settings may do so. Source: YouTube Data API, "Revision history", 2 November 2026. */
const isPrivateByDefault = ({ title }: Channel): boolean => /\bprivate uploads\b/i.test(title);

export function insertVideo({ env: { store, origin } }: Call, video: NewVideo): string {
  const { channel, notify, mediaId, finding } = video;
  const resource = isPrivateByDefault(channel)
    ? { ...video.resource, status: { ...video.resource.status, privacyStatus: "private" as const } }
    : video.resource;
  const id = randomText(LETTERS, 11);
  const at = now().getTime();
  videos.insert(store, {
    id,
    team_id: origin.teamId,
    channel_id: channel.id,
    channel_title: channel.title,
    resource,
    created_at: at,
    done_at: at + processingSeconds(textOf(resource)) * SECOND,
    outcome: finding?.uploadStatus ?? "processed",
    reason: finding?.reason ?? "",
  });
  if (finding) return id;
  store.savePost(origin, {
    platform: "youtube",
    key: id,
    author: channel.handle,
    text: textOf(resource),
    fields: { ...resource, notifySubscribers: notify },
    media: [{ id: mediaId, alt: "" }],
    url: `https://www.youtube.com/watch?v=${id}`,
  });
  return id;
}

export const postByHand: PostByHand = ({ store }, like, text) => {
  const row = videos.find(store, { id: like.key });
  if (!row) return null;
  const id = randomText(LETTERS, 11);
  const [title = "", ...description] = text.split("\n");
  const at = now().getTime();
  videos.insert(store, {
    ...row,
    id,
    created_at: at,
    done_at: at,
    resource: { ...row.resource, snippet: { title, description: description.join("\n") } },
  });
  return { key: id, url: `https://www.youtube.com/watch?v=${id}` };
};

const findVideo = ({ env: { store, origin } }: Call, id: string): Video | null =>
  videos.find(store, { id, team_id: origin.teamId });

const REASON_FIELD = { processed: null, failed: "failureReason", rejected: "rejectionReason" };

/** YouTube makes a scheduled video public at its date. */
function privacyOf({ privacyStatus = "public", publishAt }: NonNullable<Resource["status"]>) {
  if (!publishAt || Date.parse(publishAt) > now().getTime()) return { privacyStatus, publishAt };
  return { privacyStatus: "public" };
}

function statusOf(video: Video, resource: Resource) {
  const isDone = video.done_at <= now().getTime();
  const reasonField = REASON_FIELD[video.outcome];
  const { status = {} } = resource;
  return {
    uploadStatus: isDone ? video.outcome : "uploaded",
    ...(isDone && reasonField ? { [reasonField]: video.reason } : {}),
    license: "youtube",
    embeddable: true,
    publicStatsViewable: true,
    ...status,
    madeForKids: status.selfDeclaredMadeForKids ?? false,
    publishAt: undefined,
    ...privacyOf(status),
  };
}

const VIDEO_PARTS = [
  "id",
  "snippet",
  "contentDetails",
  "statistics",
  "status",
  "recordingDetails",
  "paidProductPlacementDetails",
  "processingDetails",
  "localizations",
];

function toParts(video: Video): Record<string, object | undefined> {
  const { resource } = video;
  const isDone = video.done_at <= now().getTime();
  return {
    ...resource,
    snippet: {
      publishedAt: new Date(video.created_at).toISOString(),
      channelId: video.channel_id,
      channelTitle: video.channel_title,
      categoryId: "22",
      liveBroadcastContent: "none",
      thumbnails: {},
      ...resource.snippet,
    },
    status: statusOf(video, resource),
    contentDetails: { duration: "PT0S", definition: "hd" },
    statistics: statisticsOf(video),
    processingDetails: {
      processingStatus: !isDone
        ? "processing"
        : video.outcome === "failed"
          ? "failed"
          : "succeeded",
    },
  };
}

function statisticsOf({ channel_id, resource, created_at }: Video) {
  const audience = `youtube ${channel_id} ${textOf(resource)}`;
  const { views, likes, comments } = reactionsTo(audience, created_at);
  return { viewCount: `${views}`, likeCount: `${likes}`, commentCount: `${comments}` };
}

function toItem(video: Video, parts: string[]) {
  return { kind: "youtube#video", id: video.id, ...pickFields(toParts(video), parts) };
}

export function readVideo(call: Call, id: string, parts: string[]) {
  const video = findVideo(call, id);
  return video ? toItem(video, parts) : null;
}

const MAX_IDS = 50;

export async function listVideos(call: Call): Promise<Response> {
  const { channel } = await authenticate(call, READONLY);
  requireKnownParameters(call, ["part", "id", "maxResults", "hl"]);
  const parts = requireParts(call, VIDEO_PARTS);
  const ids = (call.req.query("id") ?? "").split(",").filter(Boolean);
  if (ids.length === 0) {
    throw badParameter("parameters", "No filter selected.", "missingRequiredParameter");
  }
  if (ids.length > MAX_IDS) throw badParameter("id", "Too many ids.", "invalidFilters");
  const items = ids
    .map((id) => findVideo(call, id))
    .filter((video) => video?.channel_id === channel.id)
    .map((video) => video && toItem(video, parts));
  return Response.json({
    kind: "youtube#videoListResponse",
    items,
    pageInfo: { totalResults: items.length, resultsPerPage: items.length },
  });
}

/** Source: YouTube Data API, "Videos: delete". */
export async function deleteVideo(call: Call): Promise<Response> {
  const { channel } = await authenticate(call, READONLY);
  requireKnownParameters(call, ["id", "onBehalfOfContentOwner"]);
  requireDeletion(call, channel);
  const id = call.req.query("id") ?? "";
  if (findVideo(call, id)?.channel_id !== channel.id) {
    throw refusal(404, "videoNotFound", "The video cannot be found.");
  }
  videos.delete(call.env.store, { id, team_id: call.env.origin.teamId });
  call.env.store.deletePost("youtube", id);
  return new Response(null, { status: 204 });
}

/** Source: YouTube Data API, "Videos: update". */
export async function updateVideo(call: Call): Promise<Response> {
  const { channel, token } = await authenticate(call, READONLY);
  requireKnownParameters(call, ["part", "onBehalfOfContentOwner"]);
  requireDeletion(call, channel);
  const { id, ...body } = await readObject(call);
  const changed = readResource(call, body);
  const video = typeof id === "string" ? findVideo(call, id) : null;
  if (video?.channel_id !== channel.id) {
    throw refusal(404, "videoNotFound", "The video cannot be found.");
  }
  if (changed.snippet.categoryId === undefined) {
    throw refusal(400, "invalidVideoMetadata", "The request metadata is invalid.");
  }
  const { store } = call.env;
  const text = textOf(changed);
  const reply = steer(call.env, REFUSALS, { key: `youtube/${video.id}`, text, token });
  const resource = { ...video.resource, ...changed };
  videos.update(store, { id: video.id }, { resource });
  store.changeFields("youtube", video.id, changed, text);
  return deliver(reply, Response.json(toItem({ ...video, resource }, Object.keys(changed))));
}

const ITEM_PARTS = ["id", "snippet", "contentDetails", "status"];

const PAGE_TOKEN = /^EAAaBlBUOk(\d{1,6})$/;
const toPageToken = (offset: number): string => `EAAaBlBUOk${offset}`;

export async function listPlaylist(call: Call): Promise<Response> {
  const { channel } = await authenticate(call, READONLY);
  const query = call.req.query();
  requireKnownParameters(call, ["part", "playlistId", "maxResults", "pageToken"]);
  const parts = requireParts(call, ITEM_PARTS);
  const max = Number(query.maxResults ?? 5);
  if (!Number.isInteger(max) || max < 0 || max > 50) {
    throw badParameter("maxResults", "Values must be within the range: [0, 50]");
  }
  const offset = Number(PAGE_TOKEN.exec(query.pageToken ?? toPageToken(0))?.[1]);
  if (Number.isNaN(offset)) {
    throw badParameter(
      "pageToken",
      "The request specifies an invalid page token.",
      "invalidPageToken",
    );
  }
  if (query.playlistId !== channel.uploads) {
    throw refusal(404, "playlistNotFound", "The playlist cannot be found.");
  }
  const own = { channel_id: channel.id, team_id: call.env.origin.teamId };
  const rows = videos.list(
    ...([call.env.store, own] as const),
    "ORDER BY created_at DESC, rowid DESC LIMIT ? OFFSET ?",
    max + 1,
    offset,
  );
  const items = rows.slice(0, max).map((video) => {
    const { resource } = video;
    const at = new Date(video.created_at).toISOString();
    const { title, description = "" } = resource.snippet;
    const all = {
      snippet: { publishedAt: at, channelId: channel.id, title, description },
      contentDetails: { videoId: video.id, videoPublishedAt: at },
      status: { privacyStatus: privacyOf(resource.status ?? {}).privacyStatus },
    };
    return { kind: "youtube#playlistItem", id: `UU.${video.id}`, ...pickFields(all, parts) };
  });
  return Response.json({
    kind: "youtube#playlistItemListResponse",
    ...(rows.length > max ? { nextPageToken: toPageToken(offset + max) } : {}),
    items,
  });
}

/** Source: YouTube Data API, discovery document, "thumbnails.set". */
const MAX_THUMBNAIL_BYTES = 52_428_800;
const THUMBNAIL_TYPES = ["image/jpeg", "image/png"];

export async function setThumbnail(call: Call): Promise<Response> {
  const { channel } = await authenticate(call);
  requireKnownParameters(call, ["videoId", "uploadType", "onBehalfOfContentOwner"]);
  const query = call.req.query();
  if (query.uploadType !== "media") {
    throw badParameter("uploadType", "The sandbox takes simple uploads of thumbnails only.");
  }
  const id = query.videoId ?? "";
  if (findVideo(call, id)?.channel_id !== channel.id) {
    throw refusal(404, "videoNotFound", "The video cannot be found.");
  }
  const type = call.req.header("content-type") ?? "";
  const bytes = await readBody(call.req.raw, MAX_THUMBNAIL_BYTES);
  if (bytes?.byteLength === 0) {
    throw refusal(400, "mediaBodyRequired", "The request does not include the image content.");
  }
  const mime = bytes && detectFileType(bytes)?.mime;
  if (!bytes || mime !== type || !THUMBNAIL_TYPES.includes(mime)) {
    throw refusal(400, "invalidImage", "The provided image content is invalid.");
  }
  const sha256 = toHex(await crypto.subtle.digest("SHA-256", bytes));
  const thumbnail = { mime, sizeBytes: bytes.byteLength, sha256 };
  call.env.store.changeFields("youtube", id, { thumbnail });
  const url = `https://i.ytimg.sandbox.test/vi/${id}/default.jpg`;
  return Response.json({
    kind: "youtube#thumbnailSetResponse",
    items: [{ default: { url, width: 120, height: 90 } }],
  });
}
