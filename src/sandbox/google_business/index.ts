import { addLoginPaths } from "../google/consent.ts";
import { createApp, createSimulator } from "../kit/simulator.ts";
import { listAccounts, listLocations, tokens } from "./accounts.ts";
import { noSuchPath } from "./call.ts";
import { consent } from "./consent.ts";
import { changePost, createPost, deletePost, listPosts, posts, readOne } from "./posts.ts";

const app = createApp(({ req }) => noSuchPath(new URL(req.url).pathname));

addLoginPaths(app, consent, tokens);

const POSTS =
  "/mybusiness.googleapis.com/v4/accounts/:account{\\d+}/locations/:location{\\d+}/localPosts";

app
  .get("/mybusinessaccountmanagement.googleapis.com/v1/accounts", listAccounts)
  .get(
    "/mybusinessbusinessinformation.googleapis.com/v1/accounts/:account{\\d+}/locations",
    listLocations,
  )
  .post(POSTS, createPost)
  .get(POSTS, listPosts)
  .get(`${POSTS}/:id{\\d+}`, readOne)
  .patch(`${POSTS}/:id{\\d+}`, changePost)
  .delete(`${POSTS}/:id{\\d+}`, deletePost);

export const googleBusinessSimulator = createSimulator([posts], app);
