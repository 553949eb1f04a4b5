import { createApp, createSimulator } from "../kit/simulator.ts";
import { grantTokens, listChannels, revokeTokens } from "./accounts.ts";
import { refusal } from "./call.ts";
import { insertThread, listThreads } from "./comments.ts";
import { consent } from "./consent.ts";
import { openSession, putChunk, sessions } from "./sessions.ts";
import {
  deleteVideo,
  listPlaylist,
  listVideos,
  postByHand,
  setThumbnail,
  updateVideo,
  videos,
} from "./videos.ts";

const app = createApp(() => refusal(404, "notFound", "Not Found"));

for (const host of ["/www.googleapis.com", "/youtube.googleapis.com"]) {
  app
    .basePath(host)
    .post("/upload/youtube/v3/videos", openSession)
    .put("/upload/youtube/v3/videos", putChunk)
    .post("/upload/youtube/v3/thumbnails/set", setThumbnail)
    .get("/youtube/v3/videos", listVideos)
    .put("/youtube/v3/videos", updateVideo)
    .delete("/youtube/v3/videos", deleteVideo)
    .get("/youtube/v3/channels", listChannels)
    .get("/youtube/v3/playlistItems", listPlaylist)
    .get("/youtube/v3/commentThreads", listThreads)
    .post("/youtube/v3/commentThreads", insertThread);
}

app.basePath("/oauth2.googleapis.com").post("/token", grantTokens).post("/revoke", revokeTokens);

app
  .get("/accounts.google.com/o/oauth2/v2/auth", consent.show)
  .post("/accounts.google.com/o/oauth2/v2/auth", consent.answer);

export const youtubeSimulator = createSimulator([sessions, videos], app, postByHand);
