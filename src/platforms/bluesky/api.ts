import * as z from "zod";
import type { Refusal } from "../kit/refusals.ts";
import { messageOf, replyReader } from "../kit/replies.ts";
import { field, maybeText } from "../kit/shapes.ts";

/** The login server of Bluesky's own servers and of unknown ones. */
export const ENTRYWAY = "https://bsky.social";
export const PUBLIC_API = "https://public.api.bsky.app";
export const POST_COLLECTION = "app.bsky.feed.post";

const MAX_REPLY_BYTES = 64 * 1_024;

export interface XrpcRefusal extends Refusal {
  name: string | null;
  /** Epoch seconds. */
  rateLimitReset: string | null;
  /** Seconds or a date. */
  retryAfter: string | null;
}

const errorBody = z.object({ error: maybeText, message: maybeText });

export function toXrpcRefusal(reply: Response, body: unknown): XrpcRefusal {
  const error = reply.ok ? undefined : errorBody.safeParse(body).data;
  return {
    status: reply.status,
    name: error?.error || null,
    message: messageOf("Bluesky", reply, error?.message?.trim() || error?.error),
    rateLimitReset: reply.headers.get("ratelimit-reset"),
    retryAfter: reply.headers.get("retry-after"),
  };
}

export const { readBody, readerOf, readDoneReply } = replyReader(MAX_REPLY_BYTES, toXrpcRefusal);

interface XrpcCall {
  query?: Record<string, string>;
  token?: string;
  json?: unknown;
  /** Servers refuse chunked bodies, so streams need a known length. */
  bytes?: { data: ArrayBuffer | ReadableStream; mime: string };
}

export function xrpc(
  method: "GET" | "POST",
  service: string,
  nsid: string,
  call: XrpcCall,
): Request {
  const url = new URL(`/xrpc/${nsid}`, service);
  for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value);
  const headers = new Headers({ accept: "application/json" });
  if (call.token) headers.set("authorization", `Bearer ${call.token}`);
  if (call.json !== undefined) headers.set("content-type", "application/json");
  if (call.bytes) headers.set("content-type", call.bytes.mime);
  const body = call.json === undefined ? call.bytes?.data : JSON.stringify(call.json);
  // A redirect could send secrets to another server.
  return new Request(url, { method, headers, body, redirect: "manual" });
}

const did = z.string().regex(/^did:[a-z]+:\S+$/);

const session = z.object({
  accessJwt: z.string().min(1),
  refreshJwt: z.string().min(1),
  did,
  handle: z.string(),
  didDoc: z.unknown().optional(),
  active: z.boolean().optional(),
  status: z.string().optional(),
});

export type Session = z.infer<typeof session>;

/** @see https://docs.bsky.app/docs/api/com-atproto-server-create-session */
export function createSessionRequest(
  service: string,
  login: { identifier: string; password: string; authFactorToken?: string },
): Request {
  return xrpc("POST", service, "com.atproto.server.createSession", { json: login });
}

/** `active` is false for an account disabled by its owner or a moderator. */
export const readCreateSessionReply = readerOf(session);

/**
 * Rotates both tokens; the old refresh token keeps working for 2 hours.
 * @see https://docs.bsky.app/docs/api/com-atproto-server-refresh-session
 */
export function refreshSessionRequest(service: string, refreshToken: string): Request {
  return xrpc("POST", service, "com.atproto.server.refreshSession", { token: refreshToken });
}

export const readRefreshSessionReply = readerOf(session);

/** @see https://docs.bsky.app/docs/api/com-atproto-server-delete-session */
export function deleteSessionRequest(service: string, refreshToken: string): Request {
  return xrpc("POST", service, "com.atproto.server.deleteSession", { token: refreshToken });
}

const sessionInfo = session.omit({ accessJwt: true, refreshJwt: true });

export type SessionInfo = z.infer<typeof sessionInfo>;

/** @see https://docs.bsky.app/docs/api/com-atproto-server-get-session */
export function getSessionRequest(service: string, accessToken: string): Request {
  return xrpc("GET", service, "com.atproto.server.getSession", { token: accessToken });
}

export const readGetSessionReply = readerOf(sessionInfo);

/** @see https://docs.bsky.app/docs/api/com-atproto-identity-resolve-handle */
export function resolveHandleRequest(service: string, handle: string): Request {
  return xrpc("GET", service, "com.atproto.identity.resolveHandle", { query: { handle } });
}

/** An unused handle is refused with status 400. */
export const readResolveHandleReply = readerOf(field("did", did));

export function documentRequest(url: string): Request {
  return new Request(url, { headers: { accept: "application/json" }, redirect: "manual" });
}

const didDocument = z.looseObject({ id: z.string() });

export const readDidDocumentReply = readerOf(didDocument);

const actorProfile = z.object({
  displayName: z.string().optional(),
  avatar: z.string().optional(),
});

/** @see https://docs.bsky.app/docs/api/app-bsky-actor-get-profile */
export function getProfileRequest(actor: string): Request {
  return xrpc("GET", PUBLIC_API, "app.bsky.actor.getProfile", { query: { actor } });
}

export const readGetProfileReply = readerOf(actorProfile);

/** A stored file. Records must repeat it exactly as received. */
export const blob = z.looseObject({
  $type: z.literal("blob"),
  ref: z.looseObject({ $link: z.string() }),
  mimeType: z.string(),
  size: z.number(),
});

export type Blob = z.infer<typeof blob>;

/** @see https://docs.bsky.app/docs/api/com-atproto-repo-upload-blob */
export function uploadBlobRequest(
  service: string,
  accessToken: string,
  file: { data: ArrayBuffer; mime: string },
): Request {
  return xrpc("POST", service, "com.atproto.repo.uploadBlob", { token: accessToken, bytes: file });
}

export const readUploadBlobReply = readerOf(field("blob", blob));

/**
 * `swapRecord: null` demands a free key. The same record may be sent again; another record is refused as InvalidSwap.
 * @see https://docs.bsky.app/docs/api/com-atproto-repo-put-record
 */
export function putRecordRequest(
  service: string,
  accessToken: string,
  post: { repo: string; rkey: string; record: object },
): Request {
  return xrpc("POST", service, "com.atproto.repo.putRecord", {
    token: accessToken,
    json: { ...post, collection: POST_COLLECTION, swapRecord: null },
  });
}

/** `at://<did>/<collection>/<rkey>` */
export const readPutRecordReply = readerOf(field("uri", z.string().startsWith("at://")));

/**
 * Sends no token: records are public, and servers answer a proof here without the required nonce.
 * @see https://docs.bsky.app/docs/api/com-atproto-repo-get-record
 */
export function getRecordRequest(service: string, post: { repo: string; rkey: string }): Request {
  return xrpc("GET", service, "com.atproto.repo.getRecord", {
    query: { repo: post.repo, collection: POST_COLLECTION, rkey: post.rkey },
  });
}

/** Most that a server lists at once. Source: lexicon com.atproto.repo.listRecords. */
const LISTED_RECORDS = 100;

/**
 * Posts with the highest keys first; needs no token.
 * @see https://docs.bsky.app/docs/api/com-atproto-repo-list-records
 */
export function listRecordsRequest(service: string, repo: string, cursor: string | null): Request {
  const query = { repo, collection: POST_COLLECTION, limit: String(LISTED_RECORDS) };
  return xrpc("GET", service, "com.atproto.repo.listRecords", {
    query: cursor === null ? query : { ...query, cursor },
  });
}

/** A free key is refused as RecordNotFound. */
export const readGetRecordReply = readerOf(field("value", z.record(z.string(), z.unknown())));

export const readRecordCidReply = readerOf(field("cid", z.string()));

/**
 * Also succeeds when there is no record.
 * @see https://docs.bsky.app/docs/api/com-atproto-repo-delete-record
 */
export function deleteRecordRequest(
  service: string,
  accessToken: string,
  post: { repo: string; rkey: string },
): Request {
  return xrpc("POST", service, "com.atproto.repo.deleteRecord", {
    token: accessToken,
    json: { ...post, collection: POST_COLLECTION },
  });
}
