import { type Call, createApp, createSimulator, idOf } from "../kit/simulator.ts";
import {
  grantTokens,
  listRoles,
  readMe,
  readOrganization,
  readOrganizations,
  readUserInfo,
  revokeToken,
} from "./accounts.ts";
import { assets, initializeFile, initializeVideo, readAsset, uploads } from "./assets.ts";
import { decode, invalidValue, refusal, requireVersion } from "./call.ts";
import { createComment, listComments, mentions } from "./comments.ts";
import { consent } from "./consent.ts";
import {
  createPost,
  deletePost,
  listPosts,
  postByHand,
  posts,
  readPost,
  updatePost,
} from "./posts.ts";
import { readFollowers, readMemberFigures, readStatistics } from "./statistics.ts";
import { finalizeVideo, putUpload } from "./uploads.ts";

const notFound = ({ req }: Call) =>
  refusal(
    404,
    "RESOURCE_NOT_FOUND",
    `No virtual resource found: ${new URL(req.url).pathname.replace(/^\/rest\/(?=.)/, "")}`,
  );

const wrongVerb = ({ req }: Call) => {
  throw refusal(405, "METHOD_NOT_ALLOWED", `Unsupported method ${req.method}`);
};

type Answer = (call: Call) => Promise<Response>;

/** Routes by the `action` query parameter; "" stands for none. */
const byAction =
  (actions: Record<string, Answer>): Answer =>
  (call) => {
    const action = call.req.query("action") ?? "";
    const answer = Object.hasOwn(actions, action) ? actions[action] : undefined;
    if (!answer) throw notFound(call);
    return answer(call);
  };

const app = createApp(notFound);

app
  .get("/api.linkedin.com/v2/userinfo", readUserInfo)
  .all("/api.linkedin.com/v2/userinfo", wrongVerb)
  .get("/api.linkedin.com/v2/me", readMe)
  .all("/api.linkedin.com/v2/me", wrongVerb);
app
  .basePath("/www.linkedin.com")
  .put("/dms-uploads/*", putUpload)
  .all("/dms-uploads/*", wrongVerb)
  .get("/oauth/v2/authorization", consent.show)
  .post("/oauth/v2/authorization", consent.answer)
  .all("/oauth/v2/authorization", wrongVerb)
  .post("/oauth/v2/accessToken", grantTokens)
  .all("/oauth/v2/accessToken", wrongVerb)
  .post("/oauth/v2/revoke", revokeToken)
  .all("/oauth/v2/revoke", wrongVerb);

const rest = app.basePath("/api.linkedin.com/rest");

rest.use(async (call, next) => {
  requireVersion(call);
  const key =
    /\/rest\/[^/]+\/([^/]*)(?:\/comments)?$/.exec(new URL(call.req.url).pathname)?.[1] ?? "";
  if (key.includes(":")) throw invalidValue("The key is not encoded");
  decode(key);
  await next();
});
for (const kind of ["image", "video", "document"] as const) {
  rest.get(`/${kind}s/:id`, (call) => readAsset(call, kind, idOf(call)));
}
rest
  .get("/organizationAcls", listRoles)
  .get("/organizations", readOrganizations)
  .get("/organizations/:id", readOrganization)
  .get("/networkSizes/:id", readFollowers)
  .get("/organizationalEntityShareStatistics", readStatistics)
  .get("/memberCreatorPostAnalytics", readMemberFigures)
  .get("/socialActions/:id/comments", listComments)
  .post("/socialActions/:id/comments", createComment)
  .get("/posts", listPosts)
  .get("/posts/:id", readPost)
  .delete("/posts/:id", deletePost)
  .post("/posts/:id", updatePost)
  .post("/posts", byAction({ "": createPost }))
  .post("/images", byAction({ initializeUpload: (call) => initializeFile(call, "image") }))
  .post("/documents", byAction({ initializeUpload: (call) => initializeFile(call, "document") }))
  .post("/videos", byAction({ initializeUpload: initializeVideo, finalizeUpload: finalizeVideo }));

export const linkedinSimulator = createSimulator(
  [assets, uploads, posts, mentions],
  app,
  postByHand,
);
