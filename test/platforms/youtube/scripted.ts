import type { Fetch, MediaItem, Post } from "../../../src/platforms/connector.ts";
import { settings, type YouTubeSettings } from "../../../src/platforms/youtube/settings.ts";
import {
  answeringByName,
  type JobChange as CommonChange,
  jobOf,
  pushing,
  readCall,
  type Answer as SomeAnswer,
  type Call as SomeCall,
  image as someImage,
  video,
} from "../../support/network.ts";

export { FACTS, NOW, video } from "../../support/network.ts";

type Call = Omit<SomeCall, "query" | "json">;
export type Answer = SomeAnswer<Call>;

async function read(request: Request): Promise<Call> {
  const { query, json, ...call } = await readCall(request);
  return call;
}

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

/** A PUT is named by its Content-Range, other calls by their path. */
const nameOf = ({ method, path, headers }: Call): string =>
  method === "PUT" ? (headers["content-range"] ?? "") : `${method} ${path}`;

/** Unexpected calls fail the test. */
export const scriptedFetch = answeringByName(read, nameOf);

export const OPEN = "POST /upload/youtube/v3/videos";
export const STATUS = "GET /youtube/v3/videos";
export const CHANNELS = "GET /youtube/v3/channels";
export const PLAYLIST = "GET /youtube/v3/playlistItems";
export const THUMBNAIL = "POST /upload/youtube/v3/thumbnails/set";

export const image = (change: Partial<MediaItem> = {}): MediaItem =>
  someImage({ sizeBytes: 300, width: null, height: null, ...change });

export interface JobChange extends CommonChange {
  thumbnail?: MediaItem | null;
}

export function post(change: JobChange = {}): Post<YouTubeSettings, MediaItem> {
  const { title = "Look", description = null, media = [video()], thumbnail = null } = change;
  return {
    title,
    description,
    media,
    thumbnail,
    settings: settings.read(change.settings ?? {}).values,
  };
}

export function job(fetch: Fetch, change: JobChange = {}) {
  const reads: { sha256: string; offset?: number; length?: number }[] = [];
  const { readMedia, mediaUrl } = pushing();
  return jobOf(fetch, change, {
    post: post(change),
    account: { platformAccountId: "UC1", handle: "ada", service: null },
    accessToken: "at.1",
    reads,
    readMedia: (item, range) => {
      reads.push({ sha256: item.sha256, ...range });
      return readMedia(item, range);
    },
    mediaUrl,
  });
}
