import type { SimulatedCall, Simulator } from "../kit/simulator.ts";
import type { SandboxStore } from "../kit/store.ts";
import { GraphError, unsupported } from "../meta/graph.ts";
import { type FacebookCall, pick, readFacebookCall } from "./call.ts";
import { createPost } from "./feed.ts";
import { GRAPH_VIDEO, RUPLOAD } from "./origins.ts";
import { authenticate, isSelf, PAGES_SCHEMA, readOtherPage, readPage } from "./pages.ts";
import { createPhoto, deletePhoto, findPhoto, PHOTOS_SCHEMA } from "./photos.ts";
import { FACEBOOK_POSTS_SCHEMA, findPost, listPosts } from "./posts.ts";
import { publishReel, pullReel, requireNoBody } from "./reels.ts";
import { debugToken, exchangeToken } from "./tokens.ts";
import { uploadVideo } from "./video-sessions.ts";
import { findVideo, readVideo, VIDEOS_SCHEMA } from "./videos.ts";

type Answer = (call: FacebookCall) => Promise<Response>;

/** What can be done at `/{page}/{edge}`. */
const EDGES: Record<string, Partial<Record<string, Answer>>> = {
  feed: { POST: createPost },
  photos: { POST: createPhoto },
  videos: { POST: uploadVideo },
  video_reels: { POST: publishReel },
  published_posts: { GET: listPosts },
};

/** A Page, a post, a photo or a video of the caller's. */
async function readNode(call: FacebookCall, id: string): Promise<Response> {
  const { page, token } = await authenticate(call);
  if (isSelf(page, id)) return readPage(call, page, token, id);
  const video = findVideo(call, page, { id });
  if (video) return readVideo(call, page, video);
  const photo = findPhoto(call, page, id);
  const post = photo ? { id: photo.id } : findPost(call, page, id);
  if (post) return Response.json(pick(call, post, ["id"]));
  const asksForToken = call.params.get("fields")?.includes("access_token");
  if (!asksForToken) throw unsupported("GET", id);
  return readOtherPage(call, page, token, id);
}

async function deleteNode(call: FacebookCall, id: string): Promise<Response> {
  const { page } = await authenticate(call);
  const photo = findPhoto(call, page, id);
  if (!photo) throw unsupported("DELETE", id);
  return deletePhoto(call, photo);
}

/** An address may begin with a version; one without is of the oldest that lives. */
const PATH = /^(?:\/v\d+\.\d+)?\/(me|[0-9_]+)(?:\/([a-z_]+))?\/?$/;

const TOKEN_PATH = /^(?:\/v\d+\.\d+)?\/(oauth\/access_token|debug_token)\/?$/;

async function answer(call: FacebookCall): Promise<Response> {
  if (call.url.origin === RUPLOAD) {
    requireNoBody(call);
    return pullReel(call);
  }
  const [, node = "", edge] = PATH.exec(call.url.pathname) ?? [];
  const verb = call.request.method;
  const aboutTokens = TOKEN_PATH.exec(call.url.pathname)?.[1];
  if (aboutTokens && verb === "GET") {
    return aboutTokens === "debug_token" ? debugToken(call) : exchangeToken(call);
  }
  if (call.url.origin === GRAPH_VIDEO && edge !== "videos") throw unsupported(verb, node);
  if (edge !== undefined) {
    const handler = Object.hasOwn(EDGES, edge) ? EDGES[edge]?.[verb] : undefined;
    if (!handler) throw unsupported(verb, node);
    const { page } = await authenticate(call);
    if (!isSelf(page, node)) throw unsupported(verb, node);
    return handler(call);
  }
  if (node === "") throw unsupported(verb, node);
  if (verb === "DELETE") return deleteNode(call, node);
  if (verb === "GET") return readNode(call, node);
  throw unsupported(verb, node);
}

async function handle(call: SimulatedCall, store: SandboxStore): Promise<Response> {
  try {
    return await answer(await readFacebookCall(call, store));
  } catch (error) {
    if (error instanceof GraphError) return error.toResponse();
    throw error;
  }
}

/** Facebook's Graph API for Pages: posts, photos, videos and reels. */
export const facebookSimulator: Simulator = {
  schema: [PAGES_SCHEMA, FACEBOOK_POSTS_SCHEMA, PHOTOS_SCHEMA, VIDEOS_SCHEMA].join("\n"),
  handle,
};
