import type { SimulatedCall, Simulator } from "../kit/simulator.ts";
import type { SandboxStore } from "../kit/store.ts";
import {
  ACCOUNTS_SCHEMA,
  readCreatorInfo,
  readUserInfo,
  refreshTokens,
  revokeTokens,
} from "./accounts.ts";
import { type TikTokCall, TikTokError } from "./call.ts";
import { API, UPLOADS } from "./origins.ts";
import { initPhotos } from "./photos.ts";
import { fetchStatus, listVideos, TASKS_SCHEMA } from "./tasks.ts";
import { initInboxVideo, initVideo, putChunk } from "./videos.ts";

type Endpoint = { verb: string; answer(call: TikTokCall): Promise<Response> };

const POSTS = "/v2/post/publish";

const ENDPOINTS = new Map<string, Endpoint>([
  [`${API}/v2/user/info/`, { verb: "GET", answer: readUserInfo }],
  [`${API}/v2/oauth/token/`, { verb: "POST", answer: refreshTokens }],
  [`${API}/v2/oauth/revoke/`, { verb: "POST", answer: revokeTokens }],
  [`${API}${POSTS}/creator_info/query/`, { verb: "POST", answer: readCreatorInfo }],
  [`${API}${POSTS}/video/init/`, { verb: "POST", answer: initVideo }],
  [`${API}${POSTS}/inbox/video/init/`, { verb: "POST", answer: initInboxVideo }],
  [`${API}${POSTS}/content/init/`, { verb: "POST", answer: initPhotos }],
  [`${API}${POSTS}/status/fetch/`, { verb: "POST", answer: fetchStatus }],
  [`${API}/v2/video/list/`, { verb: "POST", answer: listVideos }],
  [`${UPLOADS}/video/`, { verb: "PUT", answer: putChunk }],
]);

async function handle(call: SimulatedCall, store: SandboxStore): Promise<Response> {
  try {
    const endpoint = ENDPOINTS.get(call.url.origin + call.url.pathname);
    if (!endpoint) throw new TikTokError(404, "invalid_params", "Unsupported path");
    if (call.request.method !== endpoint.verb) {
      throw new TikTokError(405, "invalid_params", `Unsupported method ${call.request.method}`);
    }
    return await endpoint.answer({ ...call, store });
  } catch (error) {
    if (error instanceof TikTokError) return error.toResponse();
    throw error;
  }
}

/** TikTok's API for logins, posts and listings, and the server that takes the chunks of videos. */
export const tiktokSimulator: Simulator = {
  schema: [ACCOUNTS_SCHEMA, TASKS_SCHEMA].join("\n"),
  handle,
};
