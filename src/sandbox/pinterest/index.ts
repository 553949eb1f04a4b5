import { methodNotAllowed } from "hono/method-not-allowed";
import { createApp, createSimulator } from "../kit/simulator.ts";
import { grantTokens, readUserAccount } from "./accounts.ts";
import { listBoards } from "./boards.ts";
import { refusal } from "./call.ts";
import { consent } from "./consent.ts";
import { mediaTable, readMedia, registerMedia } from "./media.ts";
import {
  createPin,
  deletePin,
  listBoardPins,
  listPins,
  pins,
  postByHand,
  readPin,
  updatePin,
} from "./pins.ts";
import { receiveVideo } from "./uploads.ts";

const app = createApp(() => refusal(404, 404, "API method not found."));
const onMethodNotAllowed = () => refusal(405, 405, "Method not allowed.").toResponse();

app
  .basePath("/api.pinterest.com/v5")
  .use(methodNotAllowed({ app, onMethodNotAllowed }))
  .get("/user_account", readUserAccount)
  .post("/oauth/token", grantTokens)
  .get("/boards", listBoards)
  .get("/boards/:id{\\d+}/pins", listBoardPins)
  .post("/media", registerMedia)
  .get("/media/:id{\\d+}", readMedia)
  .get("/pins", listPins)
  .post("/pins", createPin)
  .get("/pins/:id{\\d+}", readPin)
  .patch("/pins/:id{\\d+}", updatePin)
  .delete("/pins/:id{\\d+}", deletePin);

app.all("/pinterest-media-upload.s3-accelerate.amazonaws.com/*", receiveVideo);

app
  .get("/www.pinterest.com/oauth/", consent.show)
  .post("/www.pinterest.com/oauth/", consent.answer);

export const pinterestSimulator = createSimulator([mediaTable, pins], app, postByHand);
