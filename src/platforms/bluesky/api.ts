import * as z from "zod";
import type { Result } from "../../core/result.ts";
import type { Refusal } from "../kit/refusals.ts";
import { messageOf, replyReader } from "../kit/replies.ts";
import { field, maybeText } from "../kit/shapes.ts";

/** Server of logins when the account's own is Bluesky's or unknown. */
export const ENTRYWAY = "https://bsky.social";
/** Reads that need no login. */
export const PUBLIC_API = "https://public.api.bsky.app";
export const POST_COLLECTION = "app.bsky.feed.post";

/** Replies are a few KB; whatever is longer was not meant for us. */
const MAX_REPLY_BYTES = 64 * 1_024;

export interface XrpcRefusal extends Refusal {
  /** The error's name, such as `ExpiredToken`; null when the body named none. */
  name: string | null;
  /** The header as sent: epoch seconds. */
  rateLimitReset: string | null;
  /** The header as sent: seconds or a date. */
  retryAfter: string | null;
}

export type Reading<T> = Promise<Result<T, XrpcRefusal>>;

const errorBody = z.object({ error: maybeText, message: maybeText });

/** An answer as a refusal; `body` is its JSON. */
export function toXrpcRefusal(reply: Response, body: unknown): XrpcRefusal {
  const said = reply.ok ? undefined : errorBody.safeParse(body).data;
  return {
    status: reply.status,
    name: said?.error || null,
    message: messageOf("Bluesky", reply, said?.message?.trim() || said?.error),
    rateLimitReset: reply.headers.get("ratelimit-reset"),
    retryAfter: reply.headers.get("retry-after"),
  };
}

export const { readBody, readerOf } = replyReader(MAX_REPLY_BYTES, toXrpcRefusal);

interface XrpcCall {
  query?: Record<string, string>;
  token?: string;
  json?: unknown;
  /** A stream has to be of known length: servers refuse a body in chunks. */
  bytes?: { data: ArrayBuffer | ReadableStream; mime: string };
}

/** `service` is an origin. */
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
  // A redirect could carry the token or the password to somebody else.
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

/** `active` is false for an account that its owner or a moderator has switched off. */
export const readCreateSessionReply = readerOf(session);

/**
 * The call that rotates both tokens. The old refresh token keeps working for 2 hours.
 *
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

/** The DID of the handle. A handle that nobody has is a refusal with status 400. */
export const readResolveHandleReply = readerOf(field("did", did));

/** Reads a document of JSON, such as that of a DID. */
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

/** A file on the account's server. Has to stand in the record exactly as it was received. */
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
 * The call that makes a post. `swapRecord: null` says that nothing stands at the key yet: the server
 * answers a repeat of the same record as the first time, and refuses any other one as InvalidSwap.
 *
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

/** The record's address: `at://<did>/<collection>/<rkey>`. */
export const readPutRecordReply = readerOf(field("uri", z.string().startsWith("at://")));

/** @see https://docs.bsky.app/docs/api/com-atproto-repo-get-record */
export function getRecordRequest(
  service: string,
  accessToken: string,
  post: { repo: string; rkey: string },
): Request {
  return xrpc("GET", service, "com.atproto.repo.getRecord", {
    token: accessToken,
    query: { repo: post.repo, collection: POST_COLLECTION, rkey: post.rkey },
  });
}

/** The record itself. A key that nothing stands at is the refusal RecordNotFound. */
export const readGetRecordReply = readerOf(field("value", z.record(z.string(), z.unknown())));
