import { createSimulator, idOf } from "../kit/simulator.ts";
import { readSteering } from "../kit/steering.ts";
import { isDropped } from "../meta/containers.ts";
import {
  createGraphApp,
  type GraphCall,
  graphError,
  pickRequested,
  unsupported,
} from "../meta/graph.ts";
import { authenticate, logins, noPermission, readProfile } from "./accounts.ts";
import { consent, debugToken, grantedScopes, grantToken } from "./consent.ts";
import { containers, createContainer, readContainer } from "./containers.ts";
import {
  deletePost,
  deletions,
  findPost,
  listPosts,
  listReplies,
  postByHand,
  posts,
  readAccountInsights,
  readInsights,
} from "./posts.ts";
import { publish, readPublishingLimit } from "./publish.ts";

async function readNode(call: GraphCall): Promise<Response> {
  const { account } = await authenticate(call);
  const id = idOf(call);
  if (id === "me" || id === account.userId) return readProfile(call, account);
  const container = containers.find(call.env.store, account.userId, id);
  if (container && !isDropped(container)) return readContainer(call, container);
  const post = findPost(call.env.store, account, id);
  if (!post) throw unsupported("GET", id);
  return Response.json(pickRequested(call, post, ["id"]));
}

/** Source: Threads API, "Delete Posts". */
async function deleteNode(call: GraphCall): Promise<Response> {
  const { account } = await authenticate(call);
  const id = idOf(call);
  const post = findPost(call.env.store, account, id);
  if (!post) throw unsupported("DELETE", id);
  if (!grantedScopes(call, account.name).includes("threads_delete")) {
    throw noPermission();
  }
  if (readSteering(String(post.text)).keepsPost) return Response.json({ success: false });
  deletePost(call.env.store, account, id);
  return Response.json({ success: true, deleted_id: id });
}

const PATH = /^(?:\/v1\.0\/([a-z0-9_]+)(?:\/[a-z_]+)?|\/((?:refresh_)?access_token))\/?$/;

const SITES = ["threads.com", "www.threads.com", "threads.net", "www.threads.net"];

const app = createGraphApp(
  ({ req }) => {
    const { pathname } = new URL(req.url);
    const [, id, tokens] = PATH.exec(pathname) ?? [];
    const node = id ?? tokens;
    return node
      ? unsupported(req.method, node)
      : graphError(2500, `Unknown path components: ${pathname}`);
  },
  { consent, places: SITES.map((site) => `/${site}/oauth/authorize`) },
);

for (const host of ["/graph.threads.net", "/graph.threads.com"]) {
  for (const version of ["", "/v1.0"]) {
    app
      .basePath(host + version)
      .post("/oauth/access_token", grantToken)
      .get("/access_token", (call) => logins.exchange(call))
      .get("/refresh_access_token", (call) => logins.renew(call));
  }
  app
    .basePath(`${host}/v1.0`)
    .get("/debug_token", debugToken)
    .get("/:id{[a-z0-9_]+}/threads", listPosts)
    .get("/:id{[a-z0-9_]+}/replies", listReplies)
    .post("/:id{[a-z0-9_]+}/threads", createContainer)
    .post("/:id{[a-z0-9_]+}/threads_publish", publish)
    .get("/:id{[a-z0-9_]+}/threads_publishing_limit", readPublishingLimit)
    .get("/:id{\\d+}/insights", readInsights)
    .get("/:id{[a-z0-9_]+}/threads_insights", readAccountInsights)
    .get("/:id{[a-z0-9_]+}", readNode)
    .delete("/:id{\\d+}", deleteNode);
}

export const threadsSimulator = createSimulator(
  [containers.table, posts, deletions],
  app,
  postByHand,
);
