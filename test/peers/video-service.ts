import { createServer, type IncomingMessage } from "node:http";
import { type Atproto, type Claims, loadAtproto } from "./atproto.ts";
import type { BlobRef } from "./bluesky.ts";
import { listen, parseJson, readBody } from "./http.ts";
import { readClaims } from "./tokens.ts";

const PREFIX = "/xrpc/app.bsky.video.";
const SERVICE_DID = "did:web:video.bsky.app";
const SESSION_MS = 86_400_000;
/** More than any video of the checks has: one part, unless a check asks for more. */
const PART_BYTES = 20_000_000;

export interface VideoCall {
  method: string;
  query: URLSearchParams;
  token: string | null;
  status: number;
  /** Size of the body. */
  sizeBytes: number;
}

/** A video on its way to the account's server, and what that said. */
interface Delivery {
  token: string;
  status: number;
  reply: unknown;
}

interface ServiceFailure {
  failureCode: string;
  message: string;
}

export interface VideoService {
  origin: string;
  callsOf(method: string): VideoCall[];
  /** Videos written to servers, in order. */
  deliveries: Delivery[];
  /** Tokens that were found good for this service itself. */
  verified: Claims[];
  /** The next upload is to come in parts of so many bytes. */
  splitNext(partSizeBytes: number): void;
  /** Lets `pass` calls of the method through and refuses the one after them; resolves when it has. */
  refuse(method: string, refusal: Refusal, pass?: number): Promise<void>;
  /** The next video fails in the processing, before it is written anywhere. */
  failNext(failure: ServiceFailure): void;
}

interface Refusal {
  status: number;
  error: string;
  message: string;
}

interface PlannedRefusal {
  refusal: Refusal;
  pass: number;
  happened(): void;
}

interface Session {
  sizeBytes: number;
  partSizeBytes: number;
  partCount: number;
  expiresAt: string;
  parts: Map<number, Buffer>;
  job: Job | null;
}

interface Job {
  jobId: string;
  did: string;
  /** How often it has been asked for. */
  looks: number;
  outcome: Promise<JobEnd>;
}

type JobEnd =
  | { state: "JOB_STATE_COMPLETED"; blob: BlobRef }
  | ({ state: "JOB_STATE_FAILED"; error: string } & ServiceFailure);

interface Received {
  method: string;
  query: URLSearchParams;
  token: string | null;
  /** As the header declares it. */
  declaredBytes: number;
  contentType: string | null;
  body: Buffer<ArrayBuffer>;
}

/** A refusal as the service words it. */
class VideoError extends Error {
  readonly status: number;
  readonly error: string;

  constructor({ status, error, message }: Refusal) {
    super(message);
    this.status = status;
    this.error = error;
  }
}

const invalid = (message: string, error = "InvalidRequest") =>
  new VideoError({ status: 400, error, message });

/**
 * Stands for video.bsky.app, which writes a video to its author's server with a token of that server.
 * It converts nothing, and leaves it to the server to judge the token.
 *
 * @param directory the origin of the directory that tells an account's server and signing key
 * @param origins real origin of a server → the one that answers for it
 * @see https://github.com/bluesky-social/atproto/tree/main/lexicons/app/bsky/video
 */
export async function startVideoService(
  directory: string,
  origins: Record<string, string> = {},
): Promise<VideoService> {
  const atproto = await loadAtproto();
  const calls: VideoCall[] = [];
  const deliveries: Delivery[] = [];
  const verified: Claims[] = [];
  const refusals = new Map<string, PlannedRefusal>();
  const sessions = new Map<string, Session>();
  const jobs = new Map<string, Job>();
  let nextPartBytes = PART_BYTES;
  let failure: ServiceFailure | null = null;

  /** To the server that the directory names, as the author of the token. */
  async function deliver(token: string, video: Buffer<ArrayBuffer>): Promise<JobEnd> {
    const { pds } = await lookUp(directory, String(readClaims(token).iss));
    const response = await fetch(`${origins[pds] ?? pds}/xrpc/com.atproto.repo.uploadBlob`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "video/mp4" },
      body: video,
    });
    const reply = (await response.json()) as { blob: BlobRef; message: string };
    deliveries.push({ token, status: response.status, reply });
    if (response.ok) return { state: "JOB_STATE_COMPLETED", blob: reply.blob };
    const failureCode =
      response.status === 413 ? "pds_upload_unsupported_blob_size" : "pds_upload_failure";
    return toFailed({ failureCode, message: `The server refused the video: ${reply.message}` });
  }

  function createJob(token: string, video: Buffer<ArrayBuffer>): Job {
    const job: Job = {
      jobId: crypto.randomUUID(),
      did: String(readClaims(token).iss),
      looks: 0,
      outcome: failure
        ? Promise.resolve(toFailed(failure))
        : deliver(token, video).catch((error: unknown) =>
            toFailed({ failureCode: "pds_upload_failure", message: String(error) }),
          ),
    };
    failure = null;
    jobs.set(job.jobId, job);
    return job;
  }

  /** In progress at the first look, because that is what a caller meets there. */
  async function readJob(job: Job) {
    job.looks++;
    const { jobId, did } = job;
    if (job.looks === 1) return { jobId, did, state: "JOB_STATE_ENCODING", progress: 50 };
    return { jobId, did, ...(await job.outcome) };
  }

  function requireSession(jobId: unknown): Session {
    const session = sessions.get(String(jobId));
    if (!session) throw invalid(`There is no upload ${jobId}.`, "UploadNotFound");
    return session;
  }

  const methods: Record<string, (call: Received) => unknown> = {
    getUploadLimits: async ({ token }) => {
      const method = "app.bsky.video.getUploadLimits";
      try {
        verified.push(await verify(atproto, requireToken(token), method, directory));
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        throw new VideoError({ status: 401, error: "AuthenticationRequired", message });
      }
      return { canUpload: true, remainingDailyVideos: 25, remainingDailyBytes: 10_000_000_000 };
    },
    startUpload: ({ token, body }) => {
      requireToken(token);
      const { sizeBytes } = parseJson(body.toString()) as { sizeBytes: number };
      const jobId = crypto.randomUUID();
      const partSizeBytes = nextPartBytes;
      nextPartBytes = PART_BYTES;
      const session = {
        sizeBytes,
        partSizeBytes,
        partCount: Math.ceil(sizeBytes / partSizeBytes),
        expiresAt: new Date(Date.now() + SESSION_MS).toISOString(),
        parts: new Map(),
        job: null,
      };
      sessions.set(jobId, session);
      const { partCount, expiresAt } = session;
      return { jobId, partSizeBytes, partCount, expiresAt };
    },
    uploadPart: ({ token, query, declaredBytes, body }) => {
      requireToken(token);
      const session = requireSession(query.get("jobId"));
      const partNumber = Number(query.get("partNumber"));
      if (partNumber > session.partCount) throw invalid("No such part.", "InvalidPartNumber");
      const rest = session.sizeBytes - (partNumber - 1) * session.partSizeBytes;
      const expected = Math.min(session.partSizeBytes, rest);
      if (declaredBytes !== expected || body.length !== expected) {
        throw invalid(`Part ${partNumber} has ${expected} bytes.`, "PartSizeMismatch");
      }
      session.parts.set(partNumber, body);
      return { partNumber, sizeBytes: body.length };
    },
    finishUpload: ({ token, body }) => {
      const { jobId: uploadId } = parseJson(body.toString()) as { jobId: string };
      const session = requireSession(uploadId);
      if (session.parts.size < session.partCount) throw invalid("Parts missing.", "MissingParts");
      session.job ??= createJob(requireToken(token), joinParts(session));
      const { jobId, did } = session.job;
      return { completedJobId: jobId, jobStatus: { jobId, did, state: "JOB_STATE_CREATED" } };
    },
    getUploadStatus: ({ token, query }) => {
      requireToken(token);
      const jobId = query.get("jobId");
      const { parts, job, partCount, expiresAt, ...session } = requireSession(jobId);
      return {
        jobId,
        partSizeBytes: session.partSizeBytes,
        partCount,
        expiresAt,
        receivedParts: [...parts.keys()].sort((a, b) => a - b),
        ...(job ? { state: "completed", completedJobId: job.jobId } : { state: "created" }),
      };
    },
    uploadVideo: ({ token, query, declaredBytes, body }) => {
      if (!query.get("name")) throw invalid("A name is missing.");
      if (declaredBytes !== body.length) throw invalid("A Content-Length is missing.");
      const job = createJob(requireToken(token), body);
      if (query.get("did") !== job.did) throw invalid("The DID is not the token's.");
      return { jobId: job.jobId, did: job.did, state: "JOB_STATE_CREATED" };
    },
    getJobStatus: async ({ query }) => {
      const job = jobs.get(query.get("jobId") ?? "");
      if (!job) throw invalid("There is no such job.");
      return { jobStatus: await readJob(job) };
    },
  };

  /** The refusal planned for this very call. */
  function takeRefusal(method: string): PlannedRefusal | null {
    const planned = refusals.get(method);
    if (!planned || planned.pass-- > 0) return null;
    refusals.delete(method);
    return planned;
  }

  async function answer(call: Received): Promise<unknown> {
    const handle = methods[call.method];
    if (!handle) {
      const message = "Method Not Implemented";
      throw new VideoError({ status: 501, error: "MethodNotImplemented", message });
    }
    const planned = takeRefusal(call.method);
    if (planned) {
      planned.happened();
      throw new VideoError(planned.refusal);
    }
    const json = parseJson(call.body.toString());
    const problem = atproto.findCallProblem(call.method, { ...call, json });
    if (problem) throw invalid(problem);
    const reply = await handle(call);
    // The one method that the real service answers otherwise than its lexicon says.
    const lawful = call.method === "uploadVideo" ? { jobStatus: reply } : reply;
    const flaw = atproto.findReplyProblem(call.method, lawful);
    if (flaw) throw new Error(`The stand-in of the video service errs: ${flaw}`);
    return reply;
  }

  async function respond(request: IncomingMessage): Promise<{ status: number; reply: unknown }> {
    const call = await receive(request);
    const { method, query, token, body } = call;
    const { status, reply } = await answer(call).then(
      (reply) => ({ status: 200, reply }),
      (error: unknown) => toRefusal(error),
    );
    calls.push({ method, query, token, status, sizeBytes: body.length });
    return { status, reply };
  }

  const server = createServer((request, response) => {
    respond(request).then(
      ({ status, reply }) => {
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify(reply));
      },
      () => response.destroy(),
    );
  });
  return {
    origin: await listen(server),
    callsOf: (method) => calls.filter((call) => call.method === method),
    deliveries,
    verified,
    splitNext: (partSizeBytes) => {
      nextPartBytes = partSizeBytes;
    },
    refuse: (method, refusal, pass = 0) =>
      new Promise((resolve) => {
        refusals.set(method, { refusal, pass, happened: resolve });
      }),
    failNext: (next) => {
      failure = next;
    },
  };
}

async function receive(request: IncomingMessage): Promise<Received> {
  const url = new URL(request.url ?? "/", "http://localhost");
  return {
    method: url.pathname.replace(PREFIX, ""),
    query: url.searchParams,
    token: request.headers.authorization?.replace("Bearer ", "") ?? null,
    declaredBytes: Number(request.headers["content-length"] ?? Number.NaN),
    contentType: request.headers["content-type"] ?? null,
    body: await readBody(request),
  };
}

const toRefusal = (error: unknown) =>
  error instanceof VideoError
    ? { status: error.status, reply: { error: error.error, message: error.message } }
    : { status: 500, reply: { error: "InternalServerError", message: String(error) } };

const toFailed = (failure: ServiceFailure): JobEnd => ({
  state: "JOB_STATE_FAILED",
  error: failure.failureCode,
  ...failure,
});

const joinParts = ({ parts }: Session): Buffer<ArrayBuffer> =>
  Buffer.concat([...parts].sort(([a], [b]) => a - b).map(([, bytes]) => bytes));

function requireToken(token: string | null): string {
  if (token) return token;
  const message = "Authentication Required";
  throw new VideoError({ status: 401, error: "AuthenticationRequired", message });
}

/** By the signing key that the directory has of the token's issuer. */
const verify = (atproto: Atproto, token: string, method: string, directory: string) =>
  atproto.verifyJwt(
    token,
    SERVICE_DID,
    method,
    async (did) => (await lookUp(directory, did)).signingKey,
  );

interface DirectoryEntry {
  verificationMethods: { atproto: string };
  services: { atproto_pds: { endpoint: string } };
}

/** An account's server and the key, as a `did:key`, that its tokens are signed with. */
async function lookUp(directory: string, did: string) {
  const response = await fetch(`${directory}/${did}/data`);
  if (!response.ok) throw new Error(`The directory does not know ${did} (${response.status}).`);
  const { verificationMethods, services } = (await response.json()) as DirectoryEntry;
  return { pds: services.atproto_pds.endpoint, signingKey: verificationMethods.atproto };
}
