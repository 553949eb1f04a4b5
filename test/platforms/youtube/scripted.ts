import type {
  Fetch,
  MediaItem,
  Post,
  PublishJob,
  VideoFacts,
} from "../../../src/platforms/connector.ts";
import { settings, type YouTubeSettings } from "../../../src/platforms/youtube/settings.ts";

/** A call that was made, with its body read. */
export interface Call {
  method: string;
  url: string;
  path: string;
  headers: Record<string, string>;
  redirect: string;
  text: string;
  bytes: number;
}

export type Answer = Response | Error | ((call: Call) => Response);

export const error = (
  status: number,
  reason: string | null,
  { message = "In its words", headers = {} as Record<string, string>, location = "part" } = {},
) =>
  Response.json(
    {
      error: {
        code: status,
        message,
        errors: reason ? [{ domain: "youtube", reason, message, location }] : [],
      },
    },
    { status, headers },
  );

export const SESSION =
  "https://www.googleapis.com/upload/youtube/v3/videos?uploadType=resumable&upload_id=u1";

export const opened = (location = SESSION) => new Response(null, { headers: { location } });

export const incomplete = (stored = 0) =>
  new Response(null, {
    status: 308,
    headers: stored > 0 ? { range: `bytes=0-${stored - 1}` } : {},
  });

export const finished = (privacyStatus = "public", status = 200) =>
  Response.json({ id: "vid-1", status: { uploadStatus: "uploaded", privacyStatus } }, { status });

/** How a call is written in a script: a PUT by its Content-Range, all else by its path. */
const nameOf = ({ method, path, headers }: Call): string =>
  method === "PUT" ? (headers["content-range"] ?? "") : `${method} ${path}`;

/** Answers each call with the next answer of its name. A call that nobody expects fails the test. */
export function scriptedFetch(script: Record<string, Answer[]>) {
  const calls: Call[] = [];
  const left = new Map(Object.entries(script).map(([name, answers]) => [name, [...answers]]));
  const fetch: Fetch = async (input, init) => {
    const request = new Request(input, init);
    const bytes = await request.arrayBuffer();
    const call: Call = {
      method: request.method,
      url: request.url,
      path: new URL(request.url).pathname,
      headers: Object.fromEntries(request.headers),
      redirect: request.redirect,
      text: new TextDecoder().decode(bytes.slice(0, 50_000)),
      bytes: bytes.byteLength,
    };
    calls.push(call);
    const answer = left.get(nameOf(call))?.shift();
    if (!answer) throw new Error(`Nobody expected ${nameOf(call)}`);
    const reply = typeof answer === "function" ? answer(call) : answer;
    if (reply instanceof Error) throw reply;
    return reply;
  };
  return { fetch, calls };
}

export const OPEN = "POST /upload/youtube/v3/videos";
export const STATUS = "GET /youtube/v3/videos";
export const CHANNELS = "GET /youtube/v3/channels";
export const PLAYLIST = "GET /youtube/v3/playlistItems";
export const THUMBNAIL = "POST /upload/youtube/v3/thumbnails/set";

export const NOW = new Date("2026-12-01T09:00:00.000Z");

export const FACTS: VideoFacts = {
  container: "mp4",
  videoCodec: "avc",
  audioCodec: "aac",
  durationSeconds: 12,
  framesPerSecond: 30,
  width: 720,
  height: 1_280,
};

export const video = (change: Partial<MediaItem> = {}): MediaItem => ({
  kind: "video",
  mime: "video/mp4",
  sizeBytes: 2_500,
  sha256: "cd".repeat(32),
  width: null,
  height: null,
  ...change,
});

export const image = (change: Partial<MediaItem> = {}): MediaItem => ({
  ...video(),
  kind: "image",
  mime: "image/jpeg",
  sizeBytes: 300,
  sha256: "ab".repeat(32),
  ...change,
});

export interface JobChange {
  title?: string | null;
  description?: string | null;
  media?: MediaItem[];
  thumbnail?: MediaItem | null;
  settings?: Record<string, string>;
  facts?: VideoFacts | null;
  now?: Date;
}

export function post(change: JobChange = {}): Post<YouTubeSettings, MediaItem> {
  const { title = "Look", description = null, media = [video()], thumbnail = null } = change;
  return { title, description, media, thumbnail, settings: settings.parse(change.settings ?? {}) };
}

export function job(fetch: Fetch, change: JobChange = {}) {
  const reads: { sha256: string; offset?: number; length?: number }[] = [];
  const publishJob: PublishJob<YouTubeSettings> = {
    post: post(change),
    account: { platformAccountId: "UC1", handle: "ada", service: null },
    accessToken: "at.1",
    uploadId: 41,
    attempt: 1,
    fetch,
    now: () => change.now ?? NOW,
    async readMedia({ sha256, sizeBytes }, range) {
      reads.push({ sha256, ...range });
      return new Blob([new Uint8Array(range?.length ?? sizeBytes)]).stream();
    },
    inspectVideo: async () => (change.facts === undefined ? FACTS : change.facts),
    mediaUrl: async () => {
      throw new Error("YouTube pulls nothing.");
    },
  };
  return Object.assign(publishJob, { reads });
}
