import { now } from "../../core/clock.ts";
import { randomHex } from "../../core/ids.ts";
import { DAY } from "../../core/time.ts";
import { appendBody, readStored, reserveFile, sealFile } from "../kit/files.ts";
import { type Call, deliver } from "../kit/simulator.ts";
import { requireAccepted, steer } from "../kit/steered.ts";
import {
  count,
  flag,
  integer,
  json,
  key,
  optional,
  type RowOf,
  Table,
  text,
} from "../kit/table.ts";
import { authenticate, type Channel } from "./accounts.ts";
import { badParameter, readObject, refusal, requireKnownParameters } from "./call.ts";
import { type Resource, readResource } from "./metadata.ts";
import { deliveryWords, findingOf, openingWords, REFUSALS } from "./steering.ts";
import { insertVideo, readVideo, textOf } from "./videos.ts";

export const sessions = new Table("youtube_sessions", {
  id: key(),
  team_id: integer(),
  channel_id: text(),
  channel: json<Channel>(),
  resource: json<Resource>(),
  notify: flag(),
  media_id: integer(),
  size: integer(),
  chunk_size: count(),
  received: count(),
  slices: count(),
  video_id: optional(text()),
  expires_at: integer(),
});

type Session = RowOf<typeof sessions>;

/** Source: YouTube Data API, "Videos: insert". */
const MAX_VIDEO_BYTES = 274_877_906_944;
/** Source: YouTube Data API, "Resumable Uploads". */
const CHUNK_UNIT_BYTES = 262_144;
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

function readNotify({ req }: Call): boolean {
  const value = req.query("notifySubscribers") ?? "true";
  if (value === "true" || value === "false") return value === "true";
  throw badParameter("notifySubscribers", `Invalid boolean value: '${value}'.`);
}

function readSize({ req }: Call): number {
  const type = req.header("x-upload-content-type") ?? "";
  if (!/^(?:video\/[\w.+-]+|application\/octet-stream)$/.test(type)) {
    throw refusal(400, "badContent", `Media type '${type}' is not supported.`);
  }
  const length = req.header("x-upload-content-length") ?? "";
  const size = /^\d{1,15}$/.test(length) ? Number(length) : 0;
  if (size < 1 || size > MAX_VIDEO_BYTES) {
    throw refusal(400, "mediaBodyRequired", "The request does not include the video content.");
  }
  return size;
}

export async function openSession(call: Call): Promise<Response> {
  const { channel, token } = await authenticate(call);
  if (call.req.query("uploadType") !== "resumable") {
    throw badParameter("uploadType", "The sandbox takes resumable uploads only.");
  }
  requireKnownParameters(call, INSERT_PARAMETERS);
  const notify = readNotify(call);
  const size = readSize(call);
  const resource = readResource(call, await readObject(call));
  steer(call.env, REFUSALS, { key: channel.id, text: openingWords(textOf(resource)), token });
  const id = `sandbox-${randomHex(20)}`;
  const owner = { platform: "youtube", owner: channel.id } as const;
  sessions.insert(call.env.store, {
    id,
    team_id: call.env.origin.teamId,
    channel_id: channel.id,
    channel,
    resource,
    notify,
    media_id: reserveFile(call.env, owner),
    size,
    expires_at: now().getTime() + SESSION_MS,
  });
  const query = new URL(call.req.url).searchParams;
  query.set("upload_id", id);
  const location = `https://www.googleapis.com/upload/youtube/v3/videos?${query}`;
  return new Response(null, { headers: { location, "x-guploader-uploadid": id } });
}

function requireSession({ env: { store, origin }, req }: Call): Session {
  const id = req.query("upload_id") ?? "";
  const session = sessions.find(store, { id, team_id: origin.teamId });
  if (!session) throw refusal(404, "notFound", "The upload session was not found.");
  if (session.expires_at <= now().getTime()) {
    throw refusal(410, "gone", "The upload session has expired.");
  }
  return session;
}

/** Answers 308, or 200 for callers that cannot handle it. */
function incomplete({ req }: Call, received: number): Response {
  const headers = new Headers(received > 0 ? { range: `bytes=0-${received - 1}` } : {});
  if (req.header("x-guploader-no-308") !== "yes") {
    return new Response(null, { status: 308, headers });
  }
  headers.set("x-http-status-code-override", "308");
  return new Response(null, { status: 200, headers });
}

const badRequest = (message: string) => refusal(400, "badRequest", message);

/** Null for a call that only asks for progress. */
function readChunk({ req }: Call, session: Session): { length: number; isLast: boolean } | null {
  const length = Number(req.header("content-length") ?? Number.NaN);
  if (!Number.isInteger(length)) throw refusal(411, "lengthRequired", "Length Required");
  const header = req.header("content-range");
  const statusTotal = /^bytes \*\/(\d+|\*)$/.exec(header ?? "")?.[1];
  if (statusTotal !== undefined) {
    if (length !== 0) throw badRequest("A status request has no body.");
    if (statusTotal !== "*" && Number(statusTotal) !== session.size)
      throw badRequest("Invalid total size.");
    return null;
  }
  const range = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(header ?? `bytes 0-${length - 1}/${length}`);
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

/** Anyone with the address may send a chunk. */
export async function putChunk(call: Call): Promise<Response> {
  if (call.req.header("authorization") !== undefined) await authenticate(call);
  const session = requireSession(call);
  const chunk = readChunk(call, session);
  if (chunk === null) {
    await call.req.raw.body?.cancel();
    if (session.video_id === null) return incomplete(call, session.received);
    return Response.json(readVideo(call, session.video_id, partsOf(session)));
  }
  const { resource, channel, notify } = session;
  const words = chunk.isLast ? deliveryWords(textOf(resource)) : "";
  const verdict = call.env.store.steer(call.env.origin, session.id, words, "");
  const finding = findingOf(verdict);
  if (verdict.kind !== "accepted" && !finding) {
    await call.req.raw.body?.cancel();
    requireAccepted(verdict, REFUSALS);
  }
  const received = await store(call, session, chunk.length);
  if (!chunk.isLast) return incomplete(call, received);

  const file = await readStored(call.env.store, session.media_id);
  const isVideo = file.mime.startsWith("video/");
  const owner = { platform: "youtube", owner: session.channel_id } as const;
  const mediaId = sealFile(call.env, owner, session.media_id, file);
  const videoId = insertVideo(call, {
    channel,
    resource,
    notify,
    mediaId,
    finding: isVideo ? finding : { uploadStatus: "failed", reason: "invalidFile" },
  });
  sessions.update(call.env.store, { id: session.id }, { video_id: videoId });
  const answer = Response.json(readVideo(call, videoId, partsOf(session)), { status: 200 });
  return verdict.kind === "accepted" ? deliver(verdict.reply, answer) : answer;
}

const partsOf = ({ resource }: Session): string[] => Object.keys(resource);

async function store(call: Call, session: Session, length: number): Promise<number> {
  const { media_id, slices } = session;
  const stored = await appendBody(call.env.store, media_id, slices, call.req.raw.body, length);
  // Another call may have delivered the same chunk.
  const isOvertaken = requireSession(call).received !== session.received;
  if (isOvertaken || stored === "too_large" || stored.bytes !== length) {
    throw badRequest("The chunk is not what its Content-Range says.");
  }
  const received = session.received + length;
  const changed = {
    received,
    slices: slices + stored.slices,
    chunk_size: session.chunk_size || length,
  };
  sessions.update(call.env.store, { id: session.id }, changed);
  return received;
}
