import { now } from "../../core/clock.ts";
import { randomHex } from "../../core/ids.ts";
import { DAY } from "../../core/time.ts";
import { appendBody, readStored, reserveFile, sealFile } from "../kit/files.ts";
import { deliver } from "../kit/simulator.ts";
import { authenticate } from "./accounts.ts";
import {
  badParameter,
  readJson,
  requireKnownParameters,
  type YouTubeCall,
  YouTubeError,
} from "./call.ts";
import { type Resource, readResource } from "./metadata.ts";
import { API } from "./origins.ts";
import { deliveryWords, findingOf, openingWords, refuseAsSteered } from "./steering.ts";
import { insertVideo, readVideo, textOf } from "./videos.ts";

export const SESSIONS_SCHEMA = `
CREATE TABLE IF NOT EXISTS youtube_sessions (
  id TEXT PRIMARY KEY,
  team_id INTEGER NOT NULL,
  channel_id TEXT NOT NULL,
  channel TEXT NOT NULL,
  resource TEXT NOT NULL,
  notify INTEGER NOT NULL,
  media_id INTEGER NOT NULL,
  size INTEGER NOT NULL,
  chunk_size INTEGER NOT NULL DEFAULT 0,
  received INTEGER NOT NULL DEFAULT 0,
  slices INTEGER NOT NULL DEFAULT 0,
  video_id TEXT,
  expires_at INTEGER NOT NULL
);
`;

/** Source: YouTube Data API, "Videos: insert". */
const MAX_VIDEO_BYTES = 274_877_906_944;
/** Source: YouTube Data API, "Resumable Uploads". */
const CHUNK_UNIT_BYTES = 262_144;
/** Google's uploads live about a week. */
const SESSION_MS = 7 * DAY;

const INSERT_PARAMETERS = [
  "part",
  "uploadType",
  "notifySubscribers",
  "autoLevels",
  "stabilize",
  "onBehalfOfContentOwner",
  "onBehalfOfContentOwnerChannel",
];

function readNotify({ url }: YouTubeCall): boolean {
  const told = url.searchParams.get("notifySubscribers") ?? "true";
  if (told === "true" || told === "false") return told === "true";
  throw badParameter("notifySubscribers", `Invalid boolean value: '${told}'.`);
}

function readSize({ request }: YouTubeCall): number {
  const type = request.headers.get("x-upload-content-type") ?? "";
  if (!/^(?:video\/[\w.+-]+|application\/octet-stream)$/.test(type)) {
    throw new YouTubeError(400, "badContent", `Media type '${type}' is not supported.`);
  }
  const length = request.headers.get("x-upload-content-length") ?? "";
  const size = /^\d{1,15}$/.test(length) ? Number(length) : 0;
  if (size < 1 || size > MAX_VIDEO_BYTES) {
    throw new YouTubeError(
      400,
      "mediaBodyRequired",
      "The request does not include the video content.",
    );
  }
  return size;
}

/** Opens an upload; the video comes with the last of its bytes. */
export async function openSession(call: YouTubeCall): Promise<Response> {
  const { channel, token } = await authenticate(call);
  if (call.url.searchParams.get("uploadType") !== "resumable") {
    throw badParameter("uploadType", "The sandbox takes resumable uploads only.");
  }
  requireKnownParameters(call, INSERT_PARAMETERS);
  const notify = readNotify(call);
  const size = readSize(call);
  const resource = readResource(call, await readJson(call));
  const words = openingWords(textOf(resource));
  const verdict = call.store.steer(call.origin, channel.id, words, token);
  if (verdict.kind !== "accepted") return refuseAsSteered(verdict);
  const id = `sandbox-${randomHex(20)}`;
  const owner = { platform: "youtube" as const, owner: channel.id };
  call.store.sql.exec(
    `INSERT INTO youtube_sessions (id, team_id, channel_id, channel, resource, notify, media_id,
       size, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    call.origin.teamId,
    channel.id,
    JSON.stringify(channel),
    JSON.stringify(resource),
    notify ? 1 : 0,
    reserveFile(call, owner),
    size,
    now().getTime() + SESSION_MS,
  );
  const query = new URLSearchParams(call.url.searchParams);
  query.set("upload_id", id);
  const location = `${API}/upload/youtube/v3/videos?${query}`;
  return new Response(null, { headers: { location, "x-guploader-uploadid": id } });
}

type Session = {
  id: string;
  channel_id: string;
  channel: string;
  resource: string;
  notify: number;
  media_id: number;
  size: number;
  chunk_size: number;
  received: number;
  slices: number;
  video_id: string | null;
  expires_at: number;
};

function requireSession({ store, url, origin }: YouTubeCall): Session {
  const [session] = store.sql
    .exec<Session>(
      "SELECT * FROM youtube_sessions WHERE id = ? AND team_id = ?",
      url.searchParams.get("upload_id") ?? "",
      origin.teamId,
    )
    .toArray();
  if (!session) throw new YouTubeError(404, "notFound", "The upload session was not found.");
  if (session.expires_at <= now().getTime()) {
    throw new YouTubeError(410, "gone", "The upload session has expired.");
  }
  return session;
}

/** A video is not there yet. Who does not want a 308 gets it in another form. */
function incomplete({ request }: YouTubeCall, received: number): Response {
  const headers = new Headers(received > 0 ? { range: `bytes=0-${received - 1}` } : {});
  if (request.headers.get("x-guploader-no-308") !== "yes") {
    return new Response(null, { status: 308, headers });
  }
  headers.set("x-http-status-code-override", "308");
  return new Response(null, { status: 200, headers });
}

const badRequest = (message: string) => new YouTubeError(400, "badRequest", message);

interface Chunk {
  length: number;
  isLast: boolean;
}

/** What the call brings; null where it only asks how far the upload is. */
function readChunk({ request }: YouTubeCall, session: Session): Chunk | null {
  const { headers } = request;
  const length = Number(headers.get("content-length") ?? Number.NaN);
  if (!Number.isInteger(length)) throw new YouTubeError(411, "lengthRequired", "Length Required");
  const told = headers.get("content-range");
  const asked = /^bytes \*\/(\d+|\*)$/.exec(told ?? "")?.[1];
  if (asked !== undefined) {
    if (length !== 0) throw badRequest("A status request has no body.");
    if (asked !== "*" && Number(asked) !== session.size) throw badRequest("Invalid total size.");
    return null;
  }
  const range = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(told ?? `bytes 0-${length - 1}/${length}`);
  const [first, last, total] = (range ?? []).slice(1).map(Number);
  if (first === undefined || last === undefined || total !== session.size) {
    throw badRequest("Failed to parse Content-Range header.");
  }
  if (last - first + 1 !== length) throw badRequest("Content-Length and Content-Range differ.");
  if (session.video_id !== null) return null;
  if (first !== session.received) {
    throw badRequest(
      `Invalid request. According to the Content-Range header, the upload offset is ${first} byte(s), but ${session.received} byte(s) are uploaded.`,
    );
  }
  const isLast = last === session.size - 1;
  const isOdd = length % CHUNK_UNIT_BYTES !== 0;
  const isOther = session.chunk_size > 0 && length !== session.chunk_size;
  if (!isLast && (isOdd || isOther)) {
    throw badRequest("Chunks must be of the same size, a multiple of 262144 bytes.");
  }
  return { length, isLast };
}

/** A chunk, or the question how far the upload is. Who knows the address may send it. */
export async function putChunk(call: YouTubeCall): Promise<Response> {
  if (call.request.headers.has("authorization")) await authenticate(call);
  const session = requireSession(call);
  const chunk = readChunk(call, session);
  if (chunk === null) {
    await call.request.body?.cancel();
    if (session.video_id === null) return incomplete(call, session.received);
    return Response.json(readVideo(call, session.video_id, partsOf(session)));
  }
  const resource: Resource = JSON.parse(session.resource);
  const words = chunk.isLast ? deliveryWords(textOf(resource)) : "";
  const verdict = call.store.steer(call.origin, session.id, words, "");
  const finding = findingOf(verdict);
  if (verdict.kind !== "accepted" && !finding) {
    await call.request.body?.cancel();
    return refuseAsSteered(verdict);
  }
  const received = await store(call, session, chunk.length);
  if (!chunk.isLast) return incomplete(call, received);

  const file = await readStored(call.store, session.media_id);
  const isVideo = file.mime.startsWith("video/");
  const owner = { platform: "youtube" as const, owner: session.channel_id };
  const mediaId = sealFile(call, owner, session.media_id, file);
  const videoId = insertVideo(call, {
    channel: JSON.parse(session.channel),
    resource,
    notify: session.notify === 1,
    mediaId,
    finding: isVideo ? finding : { uploadStatus: "failed", reason: "invalidFile" },
  });
  call.store.sql.exec("UPDATE youtube_sessions SET video_id = ? WHERE id = ?", videoId, session.id);
  const answer = Response.json(readVideo(call, videoId, partsOf(session)), { status: 200 });
  return verdict.kind === "accepted" ? deliver(verdict.reply, answer) : answer;
}

const partsOf = ({ resource }: Session): string[] => Object.keys(JSON.parse(resource));

/** Keeps the chunk; how much of the video is there now. */
async function store(call: YouTubeCall, session: Session, length: number): Promise<number> {
  const { request } = call;
  const { media_id, slices } = session;
  const stored = await appendBody(call.store, media_id, slices, request.body, length);
  // Reading took a while: the same chunk may have arrived meanwhile.
  const isOvertaken = requireSession(call).received !== session.received;
  if (isOvertaken || stored === "too_large" || stored.bytes !== length) {
    throw badRequest("The chunk is not what its Content-Range says.");
  }
  const received = session.received + length;
  call.store.sql.exec(
    `UPDATE youtube_sessions SET received = ?, slices = slices + ?,
       chunk_size = CASE chunk_size WHEN 0 THEN ? ELSE chunk_size END WHERE id = ?`,
    received,
    stored.slices,
    length,
    session.id,
  );
  return received;
}
