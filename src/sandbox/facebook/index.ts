import { createSimulator, idOf } from "../kit/simulator.ts";
import { readSteering } from "../kit/steering.ts";
import { createGraphApp, type GraphCall, graphError, unsupported } from "../meta/graph.ts";
import { pick, readFacebookFields } from "./call.ts";
import { createComment, listComments } from "./comments.ts";
import { consent, grantToken } from "./consent.ts";
import { createPost } from "./feed.ts";
import { authenticate, isSelf, mayPublish, pages, readOtherPage, readPage } from "./pages.ts";
import {
  debugToken,
  isGranted,
  listAccounts,
  listBusinesses,
  listClientPages,
  listOwnedPages,
  listPermissions,
} from "./people.ts";
import { createPhoto, deletePhoto, findPhoto, photos } from "./photos.ts";
import { deletePost, findPost, listPosts, postByHand, posts, updatePost } from "./posts.ts";
import { publishReel, pullReel } from "./reels.ts";
import { uploadVideo } from "./video-sessions.ts";
import { deleteVideo, findVideo, readVideo, videos } from "./videos.ts";

async function readNode(call: GraphCall): Promise<Response> {
  const id = idOf(call);
  const { page, token } = await authenticate(call);
  if (isSelf(page, id)) return readPage(call, page, token, id);
  const video = findVideo(call, page, { id });
  if (video) return readVideo(call, page, video);
  const photo = findPhoto(call, page, id);
  const post = photo ? { id: photo.id } : findPost(call, page, id);
  if (post) return Response.json(pick(call, post, ["id"]));
  const asksForToken = call.var.params.get("fields")?.includes("access_token");
  if (!asksForToken || !(await isGranted(call, page, id))) throw unsupported("GET", id);
  return readOtherPage(call, page, token, id);
}

async function deleteNode(call: GraphCall): Promise<Response> {
  const id = idOf(call);
  const { page } = await authenticate(call);
  const photo = findPhoto(call, page, id);
  const video = findVideo(call, page, { id });
  const text = photo?.received.message ?? video?.description ?? findPost(call, page, id)?.message;
  if (readSteering(String(text)).keepsPost) return Response.json({ success: false });
  if (photo) return deletePhoto(call, photo);
  if (video && mayPublish(page)) return deleteVideo(call, page, video);
  if (!mayPublish(page) || !deletePost(call, page, id)) throw unsupported("DELETE", id);
  return Response.json({ success: true });
}

async function updateNode(call: GraphCall): Promise<Response> {
  const id = idOf(call);
  const { page, token } = await authenticate(call);
  const updated = mayPublish(page) ? updatePost(call, page, id, token) : null;
  if (!updated) throw unsupported("POST", id);
  return updated;
}

type Answer = (call: GraphCall) => Promise<Response>;

const ofPage =
  (answer: Answer): Answer =>
  async (call) => {
    const { page } = await authenticate(call);
    const id = idOf(call);
    if (!isSelf(page, id)) throw unsupported(call.req.method, id);
    if (call.req.method === "POST" && !mayPublish(page)) {
      throw graphError(
        200,
        "(#200) If posting to a page, requires both pages_read_engagement and pages_manage_posts as an admin with sufficient administrative permission",
      );
    }
    return answer(call);
  };

const PATH = /^(?:\/v\d+\.\d+)?\/(me|[0-9_]+)(?:\/[a-z_]+)?\/?$/;

const app = createGraphApp(
  ({ req }) => unsupported(req.method, PATH.exec(new URL(req.url).pathname)?.[1] ?? ""),
  {
    consent,
    places: [
      "/www.facebook.com/dialog/oauth",
      "/www.facebook.com/:version{v\\d+\\.\\d+}/dialog/oauth",
    ],
  },
  readFacebookFields,
);

const NODE = "/:id{(?:me|[0-9_]+)}";

// Without version in the path, Meta uses the oldest.
for (const version of ["", "/:version{v\\d+\\.\\d+}"]) {
  app
    .basePath(`/graph.facebook.com${version}`)
    .get("/oauth/access_token", grantToken)
    .post("/oauth/access_token", grantToken)
    .get("/debug_token", debugToken)
    .get("/me/permissions", listPermissions)
    .get("/me/accounts", listAccounts)
    .get("/me/businesses", listBusinesses)
    .get("/:id{\\d+}/owned_pages", listOwnedPages)
    .get("/:id{\\d+}/client_pages", listClientPages)
    .post(`${NODE}/feed`, ofPage(createPost))
    .post(`${NODE}/photos`, ofPage(createPhoto))
    .post(`${NODE}/videos`, ofPage(uploadVideo))
    .post(`${NODE}/video_reels`, ofPage(publishReel))
    .get(`${NODE}/published_posts`, ofPage(listPosts))
    .post(`${NODE}/comments`, createComment)
    .get(`${NODE}/comments`, listComments)
    .get(NODE, readNode)
    .post(NODE, updateNode)
    .delete(NODE, deleteNode);
  app.post(`/graph-video.facebook.com${version}${NODE}/videos`, ofPage(uploadVideo));
}

app
  .post("/rupload.facebook.com/video-upload/:version{v\\d+\\.\\d+}/:id{\\d+}", pullReel)
  .all("/rupload.facebook.com/*", pullReel);

export const facebookSimulator = createSimulator([pages, posts, photos, videos], app, postByHand);
