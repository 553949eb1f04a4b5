import * as z from "zod";
import { now } from "../../core/clock.ts";
import { fromHex } from "../../core/ids.ts";
import { addSeconds, DAY, SECOND } from "../../core/time.ts";
import { storeFile, UNKNOWN_TYPE } from "../kit/files.ts";
import type { Refusal } from "../kit/refusal.ts";
import { type Call, deliver, type PostByHand } from "../kit/simulator.ts";
import { type SteeredRefusals, steer } from "../kit/steered.ts";
import { posts } from "../kit/store.ts";
import { isTid, nextTid, recordCid, toCid } from "./cid.ts";
import { readLimit } from "./feed.ts";
import {
  type BlobRef,
  LexiconError,
  POST_COLLECTION,
  type PostRecord,
  readPost,
} from "./lexicon.ts";
import { type Account, authenticate, expiredToken, findAccount } from "./sessions.ts";
import {
  invalidRequest,
  payloadTooLarge,
  readInput,
  requireBody,
  requireParam,
  xrpcError,
} from "./xrpc.ts";

/** For a self-hosted server. Source: platform notes, "Publishing" 1. */
const MAX_BLOB_BYTES = 5 * 1_024 * 1_024;

export async function uploadBlob(call: Call): Promise<Response> {
  const { account } = await authenticate(call);
  const declaredMime = requireBody(call);
  const length = call.req.header("content-length");
  if (length === undefined) throw invalidRequest("A Content-Length header is required");
  if (Number(length) > MAX_BLOB_BYTES) throw payloadTooLarge();
  const owner = { platform: "bluesky", owner: account.did } as const;
  const file = await storeFile(call.env, owner, call.req.raw.body, MAX_BLOB_BYTES);
  if (file === "too_large") throw payloadTooLarge();
  const { id, sha256 } = file;
  const ref = toCid("raw", fromHex(sha256).buffer);
  const mime = file.mime === UNKNOWN_TYPE ? declaredMime : file.mime;
  const { media } = call.env.store;
  media.seal(id, { ref, mime, sha256 });
  const stored = media.find("bluesky", account.did, ref, call.env.origin.teamId);
  return Response.json({
    blob: {
      $type: "blob",
      ref: { $link: ref },
      mimeType: stored?.mime ?? mime,
      size: file.sizeBytes,
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

function requireOwnRepo(call: Call, caller: Account, repo: string): void {
  const owner = findAccount(call.env.store, repo);
  if (!owner) throw invalidRequest(`Could not find repo: ${repo}`);
  if (owner.did !== caller.did) {
    throw xrpcError(401, "AuthenticationRequired", "Authentication Required");
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
    throw invalidRecord(error.message);
  }
}

function requireBlob(call: Call, did: string, blob: BlobRef): { id: number; alt: string } {
  const file = call.env.store.media.find("bluesky", did, blob.cid, call.env.origin.teamId);
  if (!file) throw invalidRequest(`Could not find blob: ${blob.cid}`, "BlobNotFound");
  if (file.mime !== blob.mimeType) {
    throw invalidRequest(
      `Referenced Mimetype does not match stored blob. Expected: ${file.mime}, Got: ${blob.mimeType}`,
      "InvalidMimeType",
    );
  }
  if (file.sizeBytes !== blob.sizeBytes) {
    throw invalidRequest(
      `Referenced Size does not match stored blob. Expected: ${file.sizeBytes}, Got: ${blob.sizeBytes}`,
      "InvalidSize",
    );
  }
  return { id: file.id, alt: blob.alt };
}

const invalidRecord = (reason: string) =>
  invalidRequest(`Invalid ${POST_COLLECTION} record: ${reason}`);

const REFUSALS: SteeredRefusals = {
  expiredToken,
  serverError: (nth) =>
    nth % 2 === 1
      ? xrpcError(500, "InternalServerError", "Internal Server Error")
      : xrpcError(502, "UpstreamFailure", "Upstream Failure"),
  failures: {
    rate_limited: rateLimited,
    account_disconnected: () => invalidRequest("Account has been taken down", "AccountTakedown"),
    media_invalid: () =>
      invalidRecord(
        "blob too big (maximum 2000000, got 2000001) at $.record.embed.images[0].image",
      ),
    unknown: () =>
      invalidRecord("refused because the text says [sandbox:unknown] at $.record.text"),
  },
};

/** Source: platform notes, "Limits". */
function rateLimited(): Refusal {
  const resetAt = Math.floor(addSeconds(now(), DAY / SECOND).getTime() / SECOND);
  return xrpcError(429, "RateLimitExceeded", "Rate Limit Exceeded", {
    "ratelimit-limit": "35000",
    "ratelimit-remaining": "0",
    "ratelimit-reset": String(resetAt),
    "ratelimit-policy": "35000;w=86400",
  });
}

async function writeRecord(call: Call, method: "create" | "put"): Promise<Response> {
  const { account, token } = await authenticate(call);
  const input = await readInput(call, method === "put" ? putInput : writeInput);
  requireOwnRepo(call, account, input.repo);
  const rkey = input.rkey ?? nextTid();
  requirePostKey(input.collection, rkey);
  const record = { $type: POST_COLLECTION, ...input.record };
  const post = readRecord(record);
  const cid = await recordCid(record);
  const uri = uriOf(account.did, rkey);
  const commitCid = await recordCid({ uri, cid });

  // No await from here on: two calls could find the key free.
  const media = post.blobs.map((blob) => requireBlob(call, account.did, blob));
  const current = call.env.store.findPost("bluesky", uri)?.version ?? null;
  if (current && method === "create") {
    // The reference server answers a duplicate key with a plain 500.
    throw xrpcError(500, "InternalServerError", "Internal Server Error");
  }
  const isNoOp = current === cid;
  if (!isNoOp && input.swapRecord !== undefined && input.swapRecord !== current) {
    throw invalidRequest(`Record was at ${current}`, "InvalidSwap");
  }
  const reply = steer(call.env, REFUSALS, { key: uri, text: post.text, token });
  call.env.store.savePost(call.env.origin, {
    platform: "bluesky",
    key: uri,
    version: cid,
    author: account.handle,
    text: post.text,
    fields: post.fields,
    media,
    replyTo: post.replyTo,
    url: `https://bsky.app/profile/${account.handle}/post/${rkey}`,
  });
  const commit = isNoOp ? undefined : { cid: commitCid, rev: nextTid() };
  return deliver(reply, Response.json({ uri, cid, commit, validationStatus: "valid" }));
}

export const postByHand: PostByHand = async (_sandbox, { key }, text) => {
  const [did = ""] = key.replace("at://", "").split("/");
  const rkey = nextTid();
  const fields = { $type: POST_COLLECTION, text, createdAt: now().toISOString() };
  return {
    key: uriOf(did, rkey),
    version: await recordCid(fields),
    fields,
    url: `https://bsky.app/profile/${did}/post/${rkey}`,
  };
};

/** An equal record changes nothing. A different one replaces it, unless `swapRecord` forbids that. */
export const putRecord = (call: Call): Promise<Response> => writeRecord(call, "put");

export const createRecord = (call: Call): Promise<Response> => writeRecord(call, "create");

export async function getRecord(call: Call): Promise<Response> {
  const repo = requireParam(call, "repo");
  const collection = requireParam(call, "collection");
  const rkey = requireParam(call, "rkey");
  const owner = findAccount(call.env.store, repo);
  if (!owner) throw invalidRequest(`Could not find repo: ${repo}`);
  const uri = `at://${owner.did}/${collection}/${rkey}`;
  const post = call.env.store.findPost("bluesky", uri);
  if (!post) throw invalidRequest(`Could not locate record: ${uri}`, "RecordNotFound");
  const value: unknown = JSON.parse(post.fieldsJson);
  return Response.json({ uri, cid: post.version, value });
}

/** The highest keys come first. Source: @atproto/pds, listRecords.ts. */
export async function listRecords(call: Call): Promise<Response> {
  const repo = requireParam(call, "repo");
  const collection = requireParam(call, "collection");
  const owner = findAccount(call.env.store, repo);
  if (!owner) throw invalidRequest(`Could not find repo: ${repo}`);
  const limit = readLimit(call);
  const rows = posts.list(
    call.env.store,
    { platform: "bluesky" },
    "AND key GLOB ? AND key < ? ORDER BY key DESC LIMIT ?",
    `at://${owner.did}/${collection}/*`,
    `at://${owner.did}/${collection}/${call.req.query("cursor") ?? "~"}`,
    limit,
  );
  const records = rows.map(({ key, version, fields }) => ({
    uri: key,
    cid: version,
    value: JSON.parse(fields) as unknown,
  }));
  const last = rows.at(-1)?.key.split("/").at(-1);
  return Response.json(last === undefined ? { records } : { records, cursor: last });
}

export async function deleteRecord(call: Call): Promise<Response> {
  const { account } = await authenticate(call);
  const { repo, collection, rkey } = await readInput(call, recordKey);
  requireOwnRepo(call, account, repo);
  requirePostKey(collection, rkey);
  const uri = uriOf(account.did, rkey);
  if (!call.env.store.findPost("bluesky", uri)) return Response.json({});
  call.env.store.deletePost("bluesky", uri);
  return Response.json({ commit: { cid: await recordCid({ uri }), rev: nextTid() } });
}
