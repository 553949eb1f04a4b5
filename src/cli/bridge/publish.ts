import { randomUUID } from "node:crypto";
import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod";
import { formatCount } from "../../core/counts.ts";
import { SECOND } from "../../core/time.ts";
import type { Api, Capabilities } from "../api.ts";
import type { Connection } from "../connection.ts";
import { Problem } from "../program.ts";
import { formatBytes, type Reporter } from "../progress-bar.ts";
import { Refusal, retrying } from "../retry.ts";
import { storeFile } from "../store-file.ts";
import { openJournal } from "../upload-command.ts";
import type { UploadJournal } from "../upload-journal.ts";
import { type AllowedFolder, closeFile, type OpenFile, openAllowed } from "./allowed.ts";
import { LOCAL_TOOLS, type LocalToolName } from "./local-tools.ts";
import type { Remote } from "./remote.ts";

export interface Bridge {
  api: Api;
  remote: Remote;
  connection: Connection;
  folders: readonly AllowedFolder[];
  uploadsFolder: string;
  stopping: AbortSignal;
}

const LANES = 4;

type Args = Record<string, unknown>;

export async function publishLocal(
  bridge: Bridge,
  name: LocalToolName,
  args: Args,
  call: ServerContext,
): Promise<CallToolResult> {
  const { paths, shared } = readPaths(name, args);
  const files = await openAll(paths, bridge.folders);
  try {
    for (const file of files) requireWithinLimits(name, file);
    if (!areAllStored(bridge, files)) {
      const refused = await refusedBefore(bridge, shared, files, call);
      if (refused) return refused;
      await requireTaker(bridge, shared, files);
    }
    const mediaUrls = await exclusively(files, () => storeAll(bridge, files, call));
    return await bridge.remote.callTool(
      "create_post",
      { ...shared, mediaUrls },
      call.mcpReq.signal,
    );
  } finally {
    await Promise.all(files.map(closeFile));
  }
}

/** @throws Problem that names the wrong paths */
function readPaths(name: LocalToolName, args: Args): { paths: string[]; shared: Args } {
  const { own } = LOCAL_TOOLS[name];
  const read = own.safeParse(args);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new Problem(`${issue?.path.join(".")}: ${issue?.message}`);
  }
  if ("mediaUrls" in args || "mediaIds" in args) {
    throw new Problem(
      `${name} takes files of this machine. create_post takes mediaUrls and mediaIds.`,
    );
  }
  // The instance gets all other arguments and refuses unknown ones.
  const shared = Object.fromEntries(Object.entries(args).filter(([key]) => !(key in own.shape)));
  return { paths: "paths" in read.data ? read.data.paths : [read.data.path], shared };
}

async function openAll(paths: readonly string[], folders: readonly AllowedFolder[]) {
  const opened = await Promise.allSettled(paths.map((path) => openAllowed(path, folders)));
  const files = opened.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const problems = opened.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  if (problems.length === 0) return files;
  await Promise.all(files.map(closeFile));
  throw problems.every((one) => one instanceof Problem)
    ? new Problem(problems.map(({ message }) => message).join("\n"))
    : problems.find((one) => !(one instanceof Problem));
}

function requireWithinLimits(name: LocalToolName, { name: file, mime, sizeBytes }: OpenFile): void {
  const { types, typeNames, maxBytes } = LOCAL_TOOLS[name].limits;
  if (!types.some((type) => type === mime)) {
    throw new Problem(`${file} is ${mime}, and ${name} takes ${typeNames}.`);
  }
  if (sizeBytes > maxBytes) {
    throw new Problem(
      `${file} has ${formatCount(sizeBytes)} bytes, and ${name} takes up to ${formatCount(maxBytes)}.`,
    );
  }
}

/** validate_post takes at most this many public addresses. */
const MAX_NAMED = 10;

const verdict = z.object({
  targets: z.array(z.unknown()),
  errors: z.array(z.object({ error: z.string() })),
});

/** An earlier call may have created the post of these files, and validate_post would refuse a duplicate. */
const areAllStored = ({ connection, uploadsFolder }: Bridge, files: readonly OpenFile[]): boolean =>
  files.every((file) => {
    const journal = openJournal(uploadsFolder, connection, file);
    return journal.isStored && journal.isOf(file);
  });

async function refusedBefore(
  { remote }: Bridge,
  shared: Args,
  files: readonly OpenFile[],
  { mcpReq: { signal } }: ServerContext,
): Promise<CallToolResult | null> {
  const mediaUrls = files
    .slice(0, MAX_NAMED)
    .map(({ kind }, i) => `https://example.com/${i}.${kind === "video" ? "mp4" : "jpg"}`);
  const result = await remote.callTool("validate_post", { ...shared, mediaUrls }, signal);
  if (result.isError) return result;
  const { data } = verdict.safeParse(result.structuredContent);
  if (!data || data.errors.length === 0 || data.targets.length > 0) return null;
  const text = data.errors.map(({ error }) => error).join("\n");
  return { content: [{ type: "text", text }], isError: true };
}

/** @throws Problem for files that no platform of the call takes */
async function requireTaker({ api }: Bridge, { accountIds }: Args, files: readonly OpenFile[]) {
  if (!Array.isArray(accountIds)) return;
  const limits = await readLimits(api, accountIds);
  const refusals = limits.map((one) => refusalOf(one, files));
  if (refusals.length === 0 || refusals.includes(null)) return;
  throw new Problem(`Nothing was sent. ${refusals.join(" ")}`);
}

async function readLimits(api: Api, accountIds: readonly unknown[]): Promise<Capabilities[]> {
  try {
    const accounts = await retrying(() => api.listAccounts());
    const platforms = new Set(
      accounts.filter(({ id }) => accountIds.includes(id)).map(({ platform }) => platform),
    );
    if (platforms.size === 0) return [];
    const all = await retrying(() => api.listCapabilities());
    return all.filter(({ platform }) => platforms.has(platform));
  } catch (error) {
    // A token without permission to read capabilities may still publish.
    if (error instanceof Refusal) return [];
    throw error;
  }
}

/** Returns null when the platform takes the files. */
function refusalOf({ platform, mediaSupport }: Capabilities, files: readonly OpenFile[]) {
  const { maxCount } = mediaSupport;
  if (files.length > maxCount) {
    const max = maxCount === 1 ? "1 file" : `up to ${maxCount} files`;
    return `${platform} takes ${max} in a post, not ${files.length}: send fewer.`;
  }
  for (const { name, kind, sizeBytes } of files) {
    const maxBytes = mediaSupport[`${kind}MaxBytes`] ?? Number.POSITIVE_INFINITY;
    if (sizeBytes > maxBytes) {
      return `${platform} takes ${kind}s of up to ${formatCount(maxBytes)} bytes, and ${name} has ${formatCount(sizeBytes)}: send a smaller one.`;
    }
  }
  return null;
}

const NOTICE_MS = SECOND / 4;

/** Progress never falls: bytes that are sent again count once. */
class CallProgress {
  private readonly call: ServerContext;
  private readonly totalBytes: number;
  private readonly sent = new Map<string, number>();
  private reported = -1;
  private reportedAt = Number.NEGATIVE_INFINITY;

  constructor(call: ServerContext, totalBytes: number) {
    this.call = call;
    this.totalBytes = totalBytes;
  }

  reporterOf(path: string): Reporter {
    return {
      say: (text) => console.error(text),
      startBar: () => ({ show: (bytes) => this.note(path, bytes), end: () => {} }),
    };
  }

  note(path: string, bytes: number): void {
    this.sent.set(path, bytes);
    const progress = [...this.sent.values()].reduce((sum, one) => sum + one, 0);
    const isEnd = progress >= this.totalBytes;
    const now = performance.now();
    if (progress <= this.reported || (!isEnd && now - this.reportedAt < NOTICE_MS)) return;
    [this.reported, this.reportedAt] = [progress, now];
    const { _meta: meta, notify } = this.call.mcpReq;
    const progressToken = meta?.progressToken;
    if (progressToken === undefined) return;
    const message = `${formatBytes(progress)} of ${formatBytes(this.totalBytes)} are in storage`;
    const params = { progressToken, progress, total: this.totalBytes, message };
    void notify({ method: "notifications/progress", params }).catch(() => {});
  }
}

interface Sending {
  file: OpenFile;
  journal: UploadJournal;
}

async function storeAll(bridge: Bridge, files: readonly OpenFile[], call: ServerContext) {
  const { api, connection, uploadsFolder } = bridge;
  const stopping = AbortSignal.any([bridge.stopping, call.mcpReq.signal]);
  const distinct = [...new Map(files.map((file) => [file.path, file])).values()];
  const waiting: Sending[] = distinct.map((file) => ({
    file,
    journal: openJournal(uploadsFolder, connection, file),
  }));
  await presignPhotos(api, waiting);
  const totalBytes = distinct.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const progress = new CallProgress(call, totalBytes);
  const addresses = new Map<string, string>();
  const lane = async () => {
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      const { path, sizeBytes } = one.file;
      const reporter = progress.reporterOf(path);
      const stored = await storeFile({ ...one, api, platform: null, stopping, reporter });
      progress.note(path, sizeBytes);
      addresses.set(path, stored.bucketUrl);
    }
  };
  const lanes = Array.from({ length: LANES }, lane);
  try {
    await Promise.all(lanes);
  } finally {
    waiting.length = 0;
    await Promise.allSettled(lanes);
  }
  return files.map(({ path }) => addresses.get(path) ?? "");
}

/** All photos share one presign call, because one call per photo would use up the rate limit. */
async function presignPhotos(api: Api, all: readonly Sending[]): Promise<void> {
  const fresh = all.filter(({ file, journal }) => file.kind === "image" && !journal.presigned);
  if (fresh.length === 0) return;
  const key = randomUUID();
  const files = fresh.map(({ file }) => file);
  const targets = await retrying(() => api.presign("photos", files, key));
  for (const [index, { file, journal }] of fresh.entries()) {
    const target = targets[index];
    if (target) journal.begin(file, target);
  }
}

/** Running calls by file path. */
const busy = new Map<string, Promise<unknown>>();

/** Calls with the same file run one after another, because they share its journal. */
async function exclusively<T>(files: readonly OpenFile[], act: () => Promise<T>): Promise<T> {
  const before = files.map(({ path }) => busy.get(path));
  const mine = Promise.allSettled(before).then(act);
  for (const { path } of files) busy.set(path, mine);
  try {
    return await mine;
  } finally {
    for (const { path } of files) if (busy.get(path) === mine) busy.delete(path);
  }
}
