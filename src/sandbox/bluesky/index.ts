import type { SimulatedCall, Simulator } from "../kit/simulator.ts";
import type { SandboxStore } from "../kit/store.ts";
import { SANDBOX_SERVICE } from "./identity.ts";
import { DIRECTORY, ENTRYWAY, PUBLIC_APPVIEW, VIDEO_SERVICE } from "./origins.ts";
import { createRecord, deleteRecord, getRecord, putRecord, uploadBlob } from "./repo.ts";
import {
  BLUESKY_SCHEMA,
  createSession,
  deleteSession,
  getProfile,
  getServiceAuth,
  getSession,
  readDidDocument,
  refreshSession,
  resolveHandle,
} from "./sessions.ts";
import { uploadVideo } from "./video-intake.ts";
import { getJobStatus, getUploadLimits, VIDEO_JOBS_SCHEMA } from "./video-jobs.ts";
import {
  abortUpload,
  finishUpload,
  getUploadStatus,
  startUpload,
  uploadPart,
  VIDEO_UPLOADS_SCHEMA,
} from "./video-uploads.ts";
import { type XrpcCall, XrpcError } from "./xrpc.ts";

interface Method {
  verb: "GET" | "POST";
  origins: readonly string[];
  answer(call: XrpcCall): Promise<Response>;
}

const LOGIN_SERVERS = [SANDBOX_SERVICE, ENTRYWAY];
const OWN_SERVER = [SANDBOX_SERVICE];
const VIDEO_SERVER = [VIDEO_SERVICE];

const METHODS: Record<string, Method> = {
  "com.atproto.server.createSession": {
    verb: "POST",
    origins: LOGIN_SERVERS,
    answer: createSession,
  },
  "com.atproto.server.refreshSession": {
    verb: "POST",
    origins: LOGIN_SERVERS,
    answer: refreshSession,
  },
  "com.atproto.server.deleteSession": {
    verb: "POST",
    origins: LOGIN_SERVERS,
    answer: deleteSession,
  },
  "com.atproto.server.getSession": { verb: "GET", origins: LOGIN_SERVERS, answer: getSession },
  "com.atproto.server.getServiceAuth": {
    verb: "GET",
    origins: OWN_SERVER,
    answer: getServiceAuth,
  },
  "com.atproto.identity.resolveHandle": {
    verb: "GET",
    origins: [...LOGIN_SERVERS, PUBLIC_APPVIEW],
    answer: resolveHandle,
  },
  "com.atproto.repo.uploadBlob": { verb: "POST", origins: OWN_SERVER, answer: uploadBlob },
  "com.atproto.repo.putRecord": { verb: "POST", origins: OWN_SERVER, answer: putRecord },
  "com.atproto.repo.createRecord": { verb: "POST", origins: OWN_SERVER, answer: createRecord },
  "com.atproto.repo.deleteRecord": { verb: "POST", origins: OWN_SERVER, answer: deleteRecord },
  "com.atproto.repo.getRecord": { verb: "GET", origins: OWN_SERVER, answer: getRecord },
  "app.bsky.actor.getProfile": {
    verb: "GET",
    origins: [SANDBOX_SERVICE, PUBLIC_APPVIEW],
    answer: getProfile,
  },
  "app.bsky.video.getUploadLimits": { verb: "GET", origins: VIDEO_SERVER, answer: getUploadLimits },
  "app.bsky.video.startUpload": { verb: "POST", origins: VIDEO_SERVER, answer: startUpload },
  "app.bsky.video.uploadPart": { verb: "POST", origins: VIDEO_SERVER, answer: uploadPart },
  "app.bsky.video.finishUpload": { verb: "POST", origins: VIDEO_SERVER, answer: finishUpload },
  "app.bsky.video.getUploadStatus": { verb: "GET", origins: VIDEO_SERVER, answer: getUploadStatus },
  "app.bsky.video.abortUpload": { verb: "POST", origins: VIDEO_SERVER, answer: abortUpload },
  "app.bsky.video.uploadVideo": { verb: "POST", origins: VIDEO_SERVER, answer: uploadVideo },
  "app.bsky.video.getJobStatus": { verb: "GET", origins: VIDEO_SERVER, answer: getJobStatus },
};

async function answerXrpc(call: XrpcCall, nsid: string): Promise<Response> {
  const method = Object.hasOwn(METHODS, nsid) ? METHODS[nsid] : undefined;
  if (!method?.origins.includes(call.url.origin)) {
    throw new XrpcError(501, "MethodNotImplemented", "Method Not Implemented");
  }
  if (call.request.method !== method.verb) {
    throw new XrpcError(
      400,
      "InvalidRequest",
      `Incorrect HTTP method (${call.request.method}) expected ${method.verb}`,
    );
  }
  return method.answer(call);
}

async function handle(call: SimulatedCall, store: SandboxStore): Promise<Response> {
  const path = call.url.pathname.replaceAll(/%3a/gi, ":");
  if (call.url.origin === DIRECTORY) return readDidDocument(store, path.slice(1));
  const nsid = /^\/xrpc\/([A-Za-z0-9.-]+)$/.exec(path)?.[1];
  if (!nsid) return new Response("Not Found", { status: 404 });
  try {
    return await answerXrpc({ ...call, store }, nsid);
  } catch (error) {
    if (error instanceof XrpcError) return error.toResponse();
    throw error;
  }
}

/** Bluesky's servers: login, repository, videos, public reads and the directory of DIDs. */
export const blueskySimulator: Simulator = {
  schema: [BLUESKY_SCHEMA, VIDEO_UPLOADS_SCHEMA, VIDEO_JOBS_SCHEMA].join("\n"),
  handle,
};
