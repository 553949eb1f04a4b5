import * as z from "zod";
import { now } from "../../core/clock.ts";
import { toHex } from "../../core/ids.ts";
import { addSeconds, DAY, SECOND } from "../../core/time.ts";
import { readBody } from "../kit/input.ts";
import { deliver, forcedFailure } from "../kit/simulator.ts";
import type { Verdict } from "../kit/steering.ts";
import { isTid, nextTid, recordCid, toCid } from "./cid.ts";
import {
  type BlobRef,
  LexiconError,
  POST_COLLECTION,
  type PostRecord,
  readPost,
} from "./lexicon.ts";
import { type Account, authenticate, endSession, expiredToken, findAccount } from "./sessions.ts";
import {
  invalidRequest,
  payloadTooLarge,
  readInput,
  requireBody,
  requireParam,
  type XrpcCall,
  XrpcError,
} from "./xrpc.ts";

/** The blob ceiling of a self-hosted server. Source: platform notes, "Publishing" 1. */
const MAX_BLOB_BYTES = 5 * 1_024 * 1_024;

/** What the first bytes of a file say it is, which the server believes rather than the header. */
const SIGNATURES: [mime: string, offset: number, bytes: number[]][] = [
  ["image/jpeg", 0, [0xff, 0xd8, 0xff]],
  ["image/png", 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["image/gif", 0, [0x47, 0x49, 0x46, 0x38]],
  ["image/webp", 8, [0x57, 0x45, 0x42, 0x50]],
  ["video/mp4", 4, [0x66, 0x74, 0x79, 0x70]],
];

const sniffMime = (bytes: Uint8Array): string | null =>
  SIGNATURES.find(([, offset, signature]) =>
    signature.every((byte, index) => bytes[offset + index] === byte),
  )?.[0] ?? null;

export async function uploadBlob(call: XrpcCall): Promise<Response> {
  const { account } = authenticate(call, "access");
  const declaredMime = requireBody(call.request);
  if (!call.request.headers.has("content-length")) {
    throw invalidRequest("A Content-Length header is required");
  }
  const bytes = await readBody(call.request, MAX_BLOB_BYTES);
  if (!bytes) throw payloadTooLarge();
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  const ref = toCid("raw", digest);
  const mime = sniffMime(bytes) ?? declaredMime;
  call.store.media.save(
    call.origin,
    { platform: "bluesky", owner: account.did, ref, mime, sha256: toHex(digest) },
    bytes,
  );
  const stored = call.store.media.find("bluesky", account.did, ref, call.origin.teamId);
  return Response.json({
    blob: {
      $type: "blob",
      ref: { $link: ref },
      mimeType: stored?.mime ?? mime,
      size: bytes.byteLength,
    },
  });
}

const writeInput = z.object({
  repo: z.string(),
  collection: z.string(),
  rkey: z.string().optional(),
  record: z.record(z.string(), z.unknown()),
  validate: z.boolean().optional(),
  swapRecord: z.string().nullable().optional(),
  swapCommit: z.string().optional(),
});

const putInput = writeInput.required({ rkey: true });

const recordKey = z.object({ repo: z.string(), collection: z.string(), rkey: z.string() });

/** The repository has to be the caller's own, named by DID or handle. */
function requireOwnRepo(call: XrpcCall, caller: Account, repo: string): void {
  const owner = findAccount(call.store, repo);
  if (!owner) throw invalidRequest(`Could not find repo: ${repo}`);
  if (owner.did !== caller.did) {
    throw new XrpcError(401, "AuthenticationRequired", "Authentication Required");
  }
}

function requirePostKey(collection: string, rkey: string): void {
  if (collection !== POST_COLLECTION) {
    throw invalidRequest(`The sandbox keeps no ${collection} records`);
  }
  if (!isTid(rkey)) {
    throw invalidRequest(`Invalid TID string (got ${JSON.stringify(rkey)}) at $.rkey`);
  }
}

const uriOf = (did: string, rkey: string): string => `at://${did}/${POST_COLLECTION}/${rkey}`;

function readRecord(record: unknown): PostRecord {
  try {
    return readPost(record);
  } catch (error) {
    if (!(error instanceof LexiconError)) throw error;
    throw invalidRequest(`Invalid ${POST_COLLECTION} record: ${error.message}`);
  }
}

/** The stored file that a record refers to; the reference has to be what the upload answered. */
function requireBlob(call: XrpcCall, did: string, blob: BlobRef): { id: number; alt: string } {
  const found = call.store.media.find("bluesky", did, blob.cid, call.origin.teamId);
  if (!found) throw invalidRequest(`Could not find blob: ${blob.cid}`, "BlobNotFound");
  if (found.mime !== blob.mimeType) {
    throw invalidRequest(
      `Referenced Mimetype does not match stored blob. Expected: ${found.mime}, Got: ${blob.mimeType}`,
      "InvalidMimeType",
    );
  }
  if (found.sizeBytes !== blob.sizeBytes) {
    throw invalidRequest(
      `Referenced Size does not match stored blob. Expected: ${found.sizeBytes}, Got: ${blob.sizeBytes}`,
      "InvalidSize",
    );
  }
  return { id: found.id, alt: blob.alt };
}

/** What steering makes of a write that is not accepted. */
function refuseAsSteered(verdict: Exclude<Verdict, { kind: "accepted" }>): Response {
  switch (verdict.kind) {
    case "token_refused":
      return expiredToken().toResponse();
    case "server_error":
      return verdict.nth % 2 === 1
        ? new XrpcError(500, "InternalServerError", "Internal Server Error").toResponse()
        : new XrpcError(502, "UpstreamFailure", "Upstream Failure").toResponse();
    case "failure":
      break;
  }
  const invalidRecord = (reason: string) =>
    invalidRequest(`Invalid ${POST_COLLECTION} record: ${reason}`).toResponse();
  switch (verdict.code) {
    case "rate_limited":
      return rateLimited().toResponse();
    case "account_disconnected":
      return invalidRequest("Account has been taken down", "AccountTakedown").toResponse();
    case "media_invalid":
      return invalidRecord(
        "blob too big (maximum 2000000, got 2000001) at $.record.embed.images[0].image",
      );
    case "unknown":
      return invalidRecord("refused because the text says [sandbox:unknown] at $.record.text");
    default:
      return forcedFailure({
        code: verdict.code,
        message: `The sandbox was asked for this failure: ${verdict.code}.`,
      }).toResponse();
  }
}

/** The daily allowance of writes is used up. Source: platform notes, "Limits". */
function rateLimited(): XrpcError {
  const resetAt = Math.floor(addSeconds(now(), DAY / SECOND).getTime() / SECOND);
  return new XrpcError(429, "RateLimitExceeded", "Rate Limit Exceeded", {
    "ratelimit-limit": "35000",
    "ratelimit-remaining": "0",
    "ratelimit-reset": String(resetAt),
    "ratelimit-policy": "35000;w=86400",
  });
}

/** Create and put differ in whether the key may be left out, and in what an occupied one means. */
async function writeRecord(call: XrpcCall, method: "create" | "put"): Promise<Response> {
  const { account, token, sessionId } = authenticate(call, "access");
  const input = await readInput(call, method === "put" ? putInput : writeInput);
  requireOwnRepo(call, account, input.repo);
  const rkey = input.rkey ?? nextTid();
  requirePostKey(input.collection, rkey);
  const record = { $type: POST_COLLECTION, ...input.record };
  const post = readRecord(record);
  const cid = await recordCid(record);
  const uri = uriOf(account.did, rkey);
  const commitCid = await recordCid({ uri, cid });

  // Nothing waits from here to the end of the write, so that two calls cannot both find the key free.
  const media = post.blobs.map((blob) => requireBlob(call, account.did, blob));
  const current = call.store.findPost("bluesky", uri)?.version ?? null;
  if (current && method === "create") {
    // The reference server has no clean conflict for a key in use.
    throw new XrpcError(500, "InternalServerError", "Internal Server Error");
  }
  const isNoOp = current === cid;
  if (!isNoOp && input.swapRecord !== undefined && input.swapRecord !== current) {
    throw invalidRequest(`Record was at ${current}`, "InvalidSwap");
  }
  const verdict = call.store.steer(call.origin, uri, post.text, token);
  if (verdict.kind === "failure" && verdict.code === "account_disconnected") {
    endSession(call.store, sessionId);
  }
  if (verdict.kind !== "accepted") return refuseAsSteered(verdict);
  call.store.savePost(call.origin, {
    platform: "bluesky",
    key: uri,
    version: cid,
    author: account.handle,
    text: post.text,
    fields: post.fields,
    media,
    url: `https://bsky.app/profile/${account.handle}/post/${rkey}`,
  });
  const commit = isNoOp ? undefined : { cid: commitCid, rev: nextTid() };
  return deliver(verdict.reply, Response.json({ uri, cid, commit, validationStatus: "valid" }));
}

/** The same record again changes nothing; another one edits, unless `swapRecord` forbids it. */
export const putRecord = (call: XrpcCall): Promise<Response> => writeRecord(call, "put");

export const createRecord = (call: XrpcCall): Promise<Response> => writeRecord(call, "create");

export async function getRecord(call: XrpcCall): Promise<Response> {
  const repo = requireParam(call, "repo");
  const collection = requireParam(call, "collection");
  const rkey = requireParam(call, "rkey");
  const owner = findAccount(call.store, repo);
  if (!owner) throw invalidRequest(`Could not find repo: ${repo}`);
  const uri = `at://${owner.did}/${collection}/${rkey}`;
  const found = call.store.findPost("bluesky", uri);
  if (!found) throw invalidRequest(`Could not locate record: ${uri}`, "RecordNotFound");
  const value: unknown = JSON.parse(found.fieldsJson);
  return Response.json({ uri, cid: found.version, value });
}

/** Deleting what is not there is fine too. */
export async function deleteRecord(call: XrpcCall): Promise<Response> {
  const { account } = authenticate(call, "access");
  const { repo, collection, rkey } = await readInput(call, recordKey);
  requireOwnRepo(call, account, repo);
  requirePostKey(collection, rkey);
  const uri = uriOf(account.did, rkey);
  if (!call.store.findPost("bluesky", uri)) return Response.json({});
  call.store.deletePost("bluesky", uri);
  return Response.json({ commit: { cid: await recordCid({ uri }), rev: nextTid() } });
}
