import { addLoginPaths } from "../google/consent.ts";
import { createApp, createSimulator } from "../kit/simulator.ts";
import { listAccounts, listLocations, tokens } from "./accounts.ts";
import { noSuchPath } from "./call.ts";
import { consent } from "./consent.ts";
import { changePost, createPost, deletePost, listPosts, posts, readOne } from "./posts.ts";

const app = createApp(({ req }) => noSuchPath(new URL(req.url).pathname));

addLoginPaths(app, consent, tokens);

app.get("/mybusinessaccountmanagement.googleapis.com/v1/accounts", listAccounts);

app.get(
  "/mybusinessbusinessinformation.googleapis.com/v1/accounts/:account{\\d+}/locations",
  listLocations,
);

app
  .basePath(
    "/mybusiness.googleapis.com/v4/accounts/:account{\\d+}/locations/:location{\\d+}/localPosts",
  )
  .post("", createPost)
  .get("", listPosts)
  .get("/:id{\\d+}", readOne)
  .patch("/:id{\\d+}", changePost)
  .delete("/:id{\\d+}", deletePost);

export const googleBusinessSimulator = createSimulator([posts], app);
