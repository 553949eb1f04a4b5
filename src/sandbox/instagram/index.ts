import { createSimulator, idOf } from "../kit/simulator.ts";
import { createGraphApp, type GraphCall, pickRequested, unsupported } from "../meta/graph.ts";
import { authenticate, logins, readMe } from "./accounts.ts";
import { createComment, listComments } from "./comments.ts";
import { consent, grantToken, readInstagramFields } from "./consent.ts";
import { containers, createContainer, readContainer } from "./containers.ts";
import {
  findMedia,
  listMedia,
  postByHand,
  posts,
  readInsights,
  readManyInsights,
} from "./media.ts";
import { publish, readPublishingLimit } from "./publish.ts";

async function getMe(call: GraphCall): Promise<Response> {
  const { account } = await authenticate(call);
  return readMe(call, account, posts.count(call.env.store, { user_id: account.userId }));
}

async function readNode(call: GraphCall): Promise<Response> {
  const { account } = await authenticate(call);
  const id = idOf(call);
  const container = containers.find(call.env.store, account.userId, id);
  if (container) return readContainer(call, container);
  const media = findMedia(call.env.store, account, id);
  if (!media) throw unsupported("GET", id);
  return Response.json(pickRequested(call, media, ["id"]));
}

const PATH = /^(?:\/v\d+\.\d+)?\/([a-z0-9_]+)(?:\/[a-z_]+)?\/?$/;

const app = createGraphApp(
  ({ req }) => unsupported(req.method, PATH.exec(new URL(req.url).pathname)?.[1] ?? ""),
  { consent, places: ["/www.instagram.com/oauth/authorize"] },
  readInstagramFields,
);

app.post("/api.instagram.com/oauth/access_token", grantToken);

// Without version in the path, Meta uses the oldest.
for (const version of ["", "/:version{v\\d+\\.\\d+}"]) {
  app
    .basePath(`/graph.instagram.com${version}`)
    .get("/me", getMe)
    .get("/access_token", (call) => logins.exchange(call))
    .get("/refresh_access_token", (call) => logins.renew(call))
    .get("/:id{[a-z0-9_]+}/media", (call) => listMedia(call, "media"))
    .post("/:id{[a-z0-9_]+}/media", createContainer)
    .get("/:id{[a-z0-9_]+}/stories", (call) => listMedia(call, "stories"))
    .post("/:id{[a-z0-9_]+}/media_publish", publish)
    .get("/:id{[a-z0-9_]+}/content_publishing_limit", readPublishingLimit)
    .get("/insights", readManyInsights)
    .get("/:id{\\d+}/insights", readInsights)
    .get("/:id{\\d+}/comments", listComments)
    .post("/:id{\\d+}/comments", createComment)
    .get("/:id{[a-z0-9_]+}", readNode);
}

export const instagramSimulator = createSimulator([containers.table, posts], app, postByHand);
