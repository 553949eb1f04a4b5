import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { inProject } from "../../src/cli/paths.ts";
import { spawnGroup } from "../../src/cli/process-group.ts";
import { Problem } from "../../src/cli/program.ts";
import { killTree } from "./kill-tree.ts";

const POLL_MS = 250;
const PUBLISH_TIMEOUT_MS = 75_000;

/** Variables of the Worker. */
interface Vars {
  /** Real origin → replacement. */
  PLATFORM_ORIGINS?: Record<string, string>;
  PUBLIC_URL?: string;
  BLUESKY_KEY?: string;
  PLANS?: string;
}

interface Answer<T> {
  status: number;
  body: T;
}

export interface Refusal {
  error: string;
  errors?: { field: string; message: string }[];
}

interface Upload {
  status: string;
  metadata: Metadata | null;
  errorMessage: string | null;
  failure: { code: string } | null;
}

interface Metadata {
  videoId: string;
  shareUrl: string;
}

type PublishedUpload = Upload & { metadata: Metadata };

interface Rehearsal {
  id: number;
  text: string;
  outcome: string | null;
  platformPostId: string | null;
  summary: string;
}

/** A rehearsal at its end, and what was told on the way. */
interface Rehearsed extends Rehearsal {
  notes: string[];
}

interface RehearsalStep {
  data: Rehearsal;
  next: "step" | "ask" | "stop" | "over";
  afterSeconds: number;
  note: string | null;
}

/** A post's form fields; an array repeats the field. */
export type PostFields = Record<string, string | string[] | File[]>;

/** Akimbo's REST API and its movable clock. */
export interface Akimbo {
  origin: string;
  /** The owner's API token. */
  token: string;
  /** The link that `npm start` prints for the owner. */
  signInLink: string;
  call<T>(method: string, path: string, body?: object): Promise<Answer<T>>;
  /** The id of the upload that was queued, or the refusal. With the same key, the upload of the first call. */
  post(fields: PostFields, key?: string): Promise<Answer<{ data: { uploadId: number } } & Refusal>>;
  /** The upload once it is completed. */
  completed(uploadId: number): Promise<PublishedUpload>;
  /** The upload once it has failed. */
  failed(uploadId: number): Promise<Upload>;
  /** Posts, and waits for the completed upload. */
  publish(fields: PostFields): Promise<PublishedUpload>;
  /** Publishes a post that everybody may see, reads it back and deletes it. */
  rehearse(accountId: string): Promise<Rehearsed>;
  /** From now on it is `seconds` later for Akimbo than it was a moment ago. */
  advanceClock(seconds: number): Promise<void>;
  /** Sets the service's clock. */
  setClock(now: Date): Promise<void>;
  /** Moves the clock to the instant, and runs the schedule and its messages for so many minutes. */
  leapTo(at: Date, minutes: number): Promise<void>;
  readLog(): Promise<string>;
  /** Kills every process of it at once, and starts it again on the same port and state. Its clock is right then. */
  killAndRestart(): Promise<void>;
}

/** Runs `npm start` on a free port with everything it keeps in `stateDir`. */
export async function startAkimbo(
  stateDir: string,
  { PLATFORM_ORIGINS = {}, ...vars }: Vars,
): Promise<Akimbo> {
  const port = await findFreePort();
  const token = `kmb_${randomBytes(32).toString("hex")}`;
  const start = inProject("src/cli/start.ts");
  const options = Object.entries({
    ...vars,
    RATE_LIMITS: "off",
    PLATFORM_ORIGINS: JSON.stringify(PLATFORM_ORIGINS),
  }).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  const run = async () => {
    const child = spawnGroup(process.execPath, [start, ...options], {
      stdio: ["ignore", "pipe", "inherit", "ipc"],
      env: {
        ...process.env,
        PORT: String(port),
        STATE_DIR: stateDir,
        AKIMBO_DEMO_TOKEN: token,
      },
    });
    const signInLink = findSignInLink(child.stdout);
    const isReady = once(child, "message").then(() => true);
    const hasEnded = once(child, "exit").then(() => false);
    if (!(await Promise.race([isReady, hasEnded]))) {
      throw new Problem("Akimbo could not be started.");
    }
    return { child, signInLink: await signInLink };
  };
  const { signInLink, ...first } = await run();
  let { child } = first;
  const logPath = join(stateDir, "akimbo.log");
  return createAkimbo(`http://localhost:${port}`, {
    token,
    logPath,
    signInLink,
    restart: async () => {
      killTree(child.pid ?? 0);
      ({ child } = await run());
    },
  });
}

/** Reads all that is printed, to its end; empty where there is no link in it. */
function findSignInLink(output: Readable | null): Promise<string> {
  if (!output) throw new Error("Nothing can be read from Akimbo.");
  const lines = createInterface({ input: output });
  return new Promise((resolve) => {
    lines.on("line", (line) => {
      const [, link] = /^ {2}Sign in +(\S+)$/.exec(line) ?? [];
      if (link) resolve(link);
    });
    lines.on("close", () => resolve(""));
  });
}

export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("The system gave no port.");
  return address.port;
}

interface Program extends Pick<Akimbo, "token" | "signInLink"> {
  logPath: string;
  restart(): Promise<void>;
}

function createAkimbo(origin: string, { token, logPath, signInLink, restart }: Program): Akimbo {
  let offsetSeconds = 0;

  async function send<T>(path: string, init: RequestInit): Promise<Answer<T>> {
    const headers = new Headers(init.headers);
    headers.set("x-api-key", token);
    // A connection that is kept while this program works on something else may be closed at the other end.
    headers.set("connection", "close");
    const response = await fetch(origin + path, { ...init, headers });
    return { status: response.status, body: (await response.json()) as T };
  }

  function call<T>(method: string, path: string, body?: object): Promise<Answer<T>> {
    const headers: HeadersInit = body ? { "content-type": "application/json" } : {};
    return send(`/api/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
  }

  const post: Akimbo["post"] = (fields, key) =>
    send("/api/v1/upload", {
      method: "POST",
      headers: key ? { "idempotency-key": key } : {},
      body: toForm(fields),
    });

  /** The upload once it is completed or failed. */
  async function ended(uploadId: number): Promise<Upload> {
    const deadline = Date.now() + PUBLISH_TIMEOUT_MS;
    for (;;) {
      const { body } = await call<{ data: Upload }>("GET", `/upload/${uploadId}`);
      const { status } = body.data;
      if (status === "completed" || status === "failed") return body.data;
      if (Date.now() > deadline) throw new Error(`The post is still ${status}.`);
      await sleep(POLL_MS);
    }
  }

  const completed: Akimbo["completed"] = async (uploadId) => {
    const { metadata, ...upload } = await ended(uploadId);
    if (metadata) return { ...upload, metadata };
    throw new Error(`The post failed: ${upload.errorMessage}`);
  };

  const failed: Akimbo["failed"] = async (uploadId) => {
    const upload = await ended(uploadId);
    if (upload.status === "failed") return upload;
    throw new Error("The post did not fail.");
  };

  async function require<T>(method: string, path: string, body: object): Promise<T> {
    const answer = await call<T & Partial<Refusal>>(method, path, body);
    if (answer.status === 200) return answer.body;
    throw new Error(`${path} was refused (${answer.status}): ${answer.body.error}`);
  }

  const rehearse: Akimbo["rehearse"] = async (accountId) => {
    const { data } = await require<{ data: Rehearsal }>("POST", "/rehearsals", { accountId });
    const notes: string[] = [];
    const deadline = Date.now() + PUBLISH_TIMEOUT_MS;
    while (Date.now() < deadline) {
      const step = await require<RehearsalStep>("POST", `/rehearsals/${data.id}/step`, {
        acceptPublic: true,
      });
      if (step.note !== null) notes.push(step.note);
      if (step.next === "over" || step.next === "stop") return { ...step.data, notes };
      await sleep(step.afterSeconds * 1_000);
    }
    throw new Error(`The rehearsal does not end: ${notes.join(" ")}`);
  };

  async function sendClock(body: object): Promise<void> {
    const { status } = await send("/sandbox/api/clock", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (status !== 200) throw new Error(`The clock could not be moved (${status}).`);
  }

  async function moveClock(offset: number): Promise<void> {
    offsetSeconds = offset;
    await sendClock({ offsetSeconds });
  }

  return {
    origin,
    token,
    signInLink,
    call,
    post,
    completed,
    failed,
    rehearse,
    publish: async (fields) => {
      const { status, body } = await post(fields);
      if (status !== 200) throw new Error(`The post was refused (${status}): ${body.error}`);
      return completed(body.data.uploadId);
    },
    advanceClock: (seconds) => moveClock(offsetSeconds + seconds),
    setClock: (now) => moveClock(Math.ceil((now.getTime() - Date.now()) / 1_000)),
    leapTo: (at, ticks) => sendClock({ at, ticks }),
    readLog: () => readFile(logPath, "utf8"),
    killAndRestart: async () => {
      await restart();
      offsetSeconds = 0;
    },
  };
}

function toForm(fields: PostFields): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    for (const each of Array.isArray(value) ? value : [value]) form.append(name, each);
  }
  return form;
}
