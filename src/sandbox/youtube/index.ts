import { addLoginPaths } from "../google/consent.ts";
import { createApp, createSimulator } from "../kit/simulator.ts";
import { listChannels, tokens } from "./accounts.ts";
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

addLoginPaths(app, consent, tokens);

export const youtubeSimulator = createSimulator([sessions, videos], app, postByHand);
