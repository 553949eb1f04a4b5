import type { SimulatedCall, Simulator } from "../kit/simulator.ts";
import type { SandboxStore } from "../kit/store.ts";
import { listChannels, refreshTokens, revokeTokens } from "./accounts.ts";
import { type YouTubeCall, YouTubeError } from "./call.ts";
import { OAUTH } from "./origins.ts";
import { openSession, putChunk, SESSIONS_SCHEMA } from "./sessions.ts";
import { listPlaylist, listVideos, setThumbnail, VIDEOS_SCHEMA } from "./videos.ts";

type Endpoint = Partial<Record<string, (call: YouTubeCall) => Promise<Response>>>;

const API_ENDPOINTS = new Map<string, Endpoint>([
  ["/upload/youtube/v3/videos", { POST: openSession, PUT: putChunk }],
  ["/upload/youtube/v3/thumbnails/set", { POST: setThumbnail }],
  ["/youtube/v3/videos", { GET: listVideos }],
  ["/youtube/v3/channels", { GET: listChannels }],
  ["/youtube/v3/playlistItems", { GET: listPlaylist }],
]);

const OAUTH_ENDPOINTS = new Map<string, Endpoint>([
  ["/token", { POST: refreshTokens }],
  ["/revoke", { POST: revokeTokens }],
]);

async function handle(call: SimulatedCall, store: SandboxStore): Promise<Response> {
  const { url, request } = call;
  const endpoints = url.origin === OAUTH ? OAUTH_ENDPOINTS : API_ENDPOINTS;
  try {
    const answer = endpoints.get(url.pathname)?.[request.method];
    if (!answer) throw new YouTubeError(404, "notFound", "Not Found");
    return await answer({ ...call, store });
  } catch (error) {
    if (error instanceof YouTubeError) return error.toResponse();
    throw error;
  }
}

/** YouTube's Data API for channels, uploads and videos, and Google's tokens. */
export const youtubeSimulator: Simulator = {
  schema: [SESSIONS_SCHEMA, VIDEOS_SCHEMA].join("\n"),
  handle,
};
