import { type Call, createApp, createSimulator } from "../kit/simulator.ts";
import { ISSUER } from "./clients.ts";
import { consent, pushRequest, requests } from "./consent.ts";
import { nextNonce, usedIds } from "./dpop.ts";
import { getAuthorFeed } from "./feed.ts";
import { describeServer, grants, grantTokens, revokeToken } from "./grants.ts";
import { SANDBOX_SERVICE } from "./identity.ts";
import {
  createRecord,
  deleteRecord,
  getRecord,
  listRecords,
  postByHand,
  putRecord,
  uploadBlob,
} from "./repo.ts";
import {
  accounts,
  createSession,
  deleteSession,
  getProfile,
  getServiceAuth,
  getSession,
  OLDER_TOKENS,
  readDidDocument,
  refreshSession,
  resolveHandle,
} from "./sessions.ts";
import { searchActorsTypeahead } from "./typeahead.ts";
import { uploadVideo } from "./video-intake.ts";
import { getJobStatus, getUploadLimits, jobs } from "./video-jobs.ts";
import {
  abortUpload,
  finishUpload,
  getUploadStatus,
  parts,
  startUpload,
  uploadPart,
  uploads,
} from "./video-uploads.ts";
import { invalidRequest, xrpcError } from "./xrpc.ts";

const OWN_SERVER = ["pds.sandbox.bsky.network"];
/** Logins of accounts with an unknown server start at bsky.social. */
const LOGIN_SERVERS = [...OWN_SERVER, "bsky.social"];
const APPVIEW = "public.api.bsky.app";
const VIDEO_SERVER = ["video.bsky.app"];

type Method = ["GET" | "POST", nsid: string, hosts: string[], (call: Call) => Promise<Response>];

const METHODS: Method[] = [
  ["POST", "com.atproto.server.createSession", LOGIN_SERVERS, createSession],
  ["POST", "com.atproto.server.refreshSession", LOGIN_SERVERS, refreshSession],
  ["POST", "com.atproto.server.deleteSession", LOGIN_SERVERS, deleteSession],
  ["GET", "com.atproto.server.getSession", LOGIN_SERVERS, getSession],
  ["GET", "com.atproto.server.getServiceAuth", OWN_SERVER, getServiceAuth],
  ["GET", "com.atproto.identity.resolveHandle", [...LOGIN_SERVERS, APPVIEW], resolveHandle],
  ["POST", "com.atproto.repo.uploadBlob", OWN_SERVER, uploadBlob],
  ["POST", "com.atproto.repo.putRecord", OWN_SERVER, putRecord],
  ["POST", "com.atproto.repo.createRecord", OWN_SERVER, createRecord],
  ["POST", "com.atproto.repo.deleteRecord", OWN_SERVER, deleteRecord],
  ["GET", "com.atproto.repo.getRecord", OWN_SERVER, getRecord],
  ["GET", "com.atproto.repo.listRecords", OWN_SERVER, listRecords],
  ["GET", "app.bsky.actor.getProfile", [...OWN_SERVER, APPVIEW], getProfile],
  ["GET", "app.bsky.actor.searchActorsTypeahead", [APPVIEW], searchActorsTypeahead],
  ["GET", "app.bsky.video.getUploadLimits", VIDEO_SERVER, getUploadLimits],
  ["GET", "app.bsky.feed.getAuthorFeed", [APPVIEW], getAuthorFeed],
  ["POST", "app.bsky.video.startUpload", VIDEO_SERVER, startUpload],
  ["POST", "app.bsky.video.uploadPart", VIDEO_SERVER, uploadPart],
  ["POST", "app.bsky.video.finishUpload", VIDEO_SERVER, finishUpload],
  ["GET", "app.bsky.video.getUploadStatus", VIDEO_SERVER, getUploadStatus],
  ["POST", "app.bsky.video.abortUpload", VIDEO_SERVER, abortUpload],
  ["POST", "app.bsky.video.uploadVideo", VIDEO_SERVER, uploadVideo],
  ["GET", "app.bsky.video.getJobStatus", VIDEO_SERVER, getJobStatus],
];

const app = createApp(({ req }) =>
  /^\/xrpc\/[A-Za-z0-9.-]+$/.test(new URL(req.url).pathname)
    ? xrpcError(501, "MethodNotImplemented", "Method Not Implemented")
    : new Response("Not Found", { status: 404 }),
);

/** No login is read here, so the answers have no nonce. Source: @atproto/pds, getRecord.ts and listRecords.ts. */
const PUBLIC_READS = ["/xrpc/com.atproto.repo.getRecord", "/xrpc/com.atproto.repo.listRecords"];

app.use(async (call, next) => {
  await next();
  const { host, pathname } = new URL(call.req.url);
  const isGrantor = pathname.startsWith("/oauth/") && pathname !== "/oauth/authorize";
  const isProven = call.req.header("dpop") !== undefined && !PUBLIC_READS.includes(pathname);
  if (isGrantor || isProven) {
    call.header("DPoP-Nonce", await nextNonce(host));
  }
});

for (const [verb, nsid, hosts, answer] of METHODS) {
  for (const host of hosts) {
    const path = `/${host}/xrpc/${nsid}`;
    app.on(verb, path, answer).all(path, ({ req }) => {
      throw invalidRequest(`Incorrect HTTP method (${req.method}) expected ${verb}`);
    });
  }
}

app
  .get("/pds.sandbox.bsky.network/.well-known/oauth-protected-resource", () =>
    Response.json({
      resource: SANDBOX_SERVICE,
      authorization_servers: [ISSUER],
      bearer_methods_supported: ["header"],
      scopes_supported: [],
    }),
  )
  .get("/bsky.social/.well-known/oauth-authorization-server", describeServer)
  .post("/bsky.social/oauth/par", pushRequest)
  .get("/bsky.social/oauth/authorize", consent.show)
  .post("/bsky.social/oauth/authorize", consent.answer)
  .post("/bsky.social/oauth/token", grantTokens)
  .post("/bsky.social/oauth/revoke", revokeToken);

app.all("/plc.directory/*", readDidDocument);

export const blueskySimulator = createSimulator(
  [accounts, OLDER_TOKENS, requests, grants, usedIds, uploads, parts, jobs],
  app,
  postByHand,
);
