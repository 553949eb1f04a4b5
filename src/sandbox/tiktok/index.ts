import { methodNotAllowed } from "hono/method-not-allowed";
import { createApp, createSimulator } from "../kit/simulator.ts";
import { accounts, grantTokens, readCreatorInfo, readUserInfo, revokeTokens } from "./accounts.ts";
import { refusal } from "./call.ts";
import { consent } from "./consent.ts";
import { initPhotos } from "./photos.ts";
import { fetchStatus, listVideos, postByHand, tasks, uploads } from "./tasks.ts";
import { initInboxVideo, initVideo, putChunk } from "./videos.ts";

const app = createApp(() => refusal(404, "invalid_params", "Unsupported path"));

app.use(
  methodNotAllowed({
    app,
    onMethodNotAllowed: ({ req }) =>
      refusal(405, "invalid_params", `Unsupported method ${req.method}`).toResponse(),
  }),
);

app
  .basePath("/open.tiktokapis.com/v2")
  .get("/user/info/", readUserInfo)
  .post("/oauth/token/", grantTokens)
  .post("/oauth/revoke/", revokeTokens)
  .post("/post/publish/creator_info/query/", readCreatorInfo)
  .post("/post/publish/video/init/", initVideo)
  .post("/post/publish/inbox/video/init/", initInboxVideo)
  .post("/post/publish/content/init/", initPhotos)
  .post("/post/publish/status/fetch/", fetchStatus)
  .post("/video/list/", listVideos);

app.put("/open-upload.tiktokapis.com/video/", putChunk);

app
  .get("/www.tiktok.com/v2/auth/authorize/", consent.show)
  .post("/www.tiktok.com/v2/auth/authorize/", consent.answer);

export const tiktokSimulator = createSimulator([accounts, tasks, uploads], app, postByHand);
