import { createApp, createSimulator } from "../kit/simulator.ts";
import { searchAccounts, verifyCredentials } from "./accounts.ts";
import { apps, grantToken, readMetadata, registerApp, revokeToken } from "./apps.ts";
import { notFound } from "./call.ts";
import { consent } from "./consent.ts";
import { readInstance, SERVERS } from "./instance.ts";
import { mediaTable, readMedia, uploadMedia } from "./media.ts";
import {
  createStatus,
  deleteStatus,
  editStatus,
  listStatuses,
  postByHand,
  readSource,
  readStatus,
  statuses,
} from "./statuses.ts";

const app = createApp(notFound);

for (const server of Object.keys(SERVERS)) {
  app
    .basePath(`/${new URL(server).host}`)
    .get("/.well-known/oauth-authorization-server", readMetadata)
    .get("/oauth/authorize", consent.show)
    .post("/oauth/authorize", consent.answer)
    .post("/oauth/token", grantToken)
    .post("/oauth/revoke", revokeToken)
    .get("/api/v1/instance", readInstance)
    .get("/api/v2/instance", readInstance)
    .post("/api/v1/apps", registerApp)
    .get("/api/v1/accounts/verify_credentials", verifyCredentials)
    .get("/api/v1/accounts/search", searchAccounts)
    .get("/api/v1/accounts/:id{\\d+}/statuses", listStatuses)
    .post("/api/v2/media", uploadMedia)
    .get("/api/v1/media/:id{\\d+}", readMedia)
    .post("/api/v1/statuses", createStatus)
    .get("/api/v1/statuses/:id{\\d+}", readStatus)
    .put("/api/v1/statuses/:id{\\d+}", editStatus)
    .delete("/api/v1/statuses/:id{\\d+}", deleteStatus)
    .get("/api/v1/statuses/:id{\\d+}/source", readSource);
}

export const mastodonSimulator = createSimulator([apps, mediaTable, statuses], app, postByHand);
