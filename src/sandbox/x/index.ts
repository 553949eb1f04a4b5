import { createApp, createSimulator } from "../kit/simulator.ts";
import { grantTokens, readMe, readUsersBy, revokeToken, searchUsers } from "./accounts.ts";
import { notFound } from "./call.ts";
import { consent } from "./consent.ts";
import { addSubtitles, mediaTable, saveMetadata, uploadWhole } from "./media.ts";
import { createPost, deletePost, postByHand, posts } from "./posts.ts";
import { append, finalize, initialize, readStatus, segments } from "./segments.ts";
import { serveSubtitles } from "./subtitle-files.ts";
import { listPosts, readPosts } from "./timeline.ts";

const app = createApp(({ req }) =>
  notFound(`${req.method} ${new URL(req.url).pathname} is not known.`),
);

app
  .basePath("/api.x.com/2")
  .post("/oauth2/token", grantTokens)
  .post("/oauth2/revoke", revokeToken)
  .get("/users/me", readMe)
  .get("/users/by", readUsersBy)
  .get("/users/search", searchUsers)
  .get("/users/:id{\\d{1,19}}/tweets", listPosts)
  .get("/tweets", readPosts)
  .post("/tweets", createPost)
  .delete("/tweets/:id{\\d{1,19}}", deletePost)
  .post("/media/upload", uploadWhole)
  .get("/media/upload", readStatus)
  .post("/media/upload/initialize", initialize)
  .post("/media/upload/:id{\\d{1,19}}/append", append)
  .post("/media/upload/:id{\\d{1,19}}/finalize", finalize)
  .post("/media/metadata", saveMetadata)
  .post("/media/subtitles", addSubtitles);

app
  .get("/x.com/i/oauth2/authorize", consent.show)
  .post("/x.com/i/oauth2/authorize", consent.answer);

app.all("/subtitles.sandbox.test/*", serveSubtitles);

export const xSimulator = createSimulator([mediaTable, segments, posts], app, postByHand);
