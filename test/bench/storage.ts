import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  DeleteObjectsCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  S3Client,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { LOCAL_STORAGE, localStorageVars } from "../../src/cli/local-storage.ts";
import { inProject } from "../../src/cli/paths.ts";
import { findFreePort } from "../../src/cli/server.ts";
import { filmHead } from "./film.ts";
import { note, type Row } from "./report.ts";
import type { Workspace } from "./workspace.ts";

const TOKEN = `kmb_${"b".repeat(64)}`;
const PART_BYTES = 16 * 1_024 ** 2;
/** Parts that are sent at the same time, by either of them. */
const LANES = 4;
const MEGABYTE = 1_000_000;
/**
 * The CLI stands at both ends: a machine that gets slower or faster meanwhile favours nobody. `lean` is the SDK as
 * it is over HTTPS, and without the checksum that it adds: nothing is hashed on the way.
 */
const ORDER = ["cli", "sdk", "lean", "cli"] as const;
type Sender = (typeof ORDER)[number];
/** Share of the SDK's speed that the CLI has to have. */
const LEAST_SHARE = 0.7;

interface Here {
  port: number;
  stateDir: string;
}

/** Akimbo as `npm start` runs it. */
async function startHere(workspace: Workspace): Promise<Here> {
  const stateDir = await workspace.folder();
  const port = await findFreePort();
  const server: ChildProcess = fork(inProject("src/cli/start.ts"), {
    env: { ...process.env, PORT: String(port), STATE_DIR: stateDir, AKIMBO_DEMO_TOKEN: TOKEN },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  workspace.onEnd(async () => {
    if (server.exitCode !== null) return;
    server.kill("SIGINT");
    await once(server, "exit");
  });
  await Promise.race([
    once(server, "message"),
    once(server, "exit").then(() => Promise.reject(new Error("Akimbo does not start."))),
  ]);
  return { port, stateDir };
}

/** Uploads a file as `npm run cli -- upload` does, in a process of its own. */
async function sendByCli({ port, stateDir }: Here, file: string): Promise<void> {
  const cli = spawn(process.execPath, [inProject("src/cli/akimbo.ts"), "upload", file, "--anew"], {
    env: {
      ...process.env,
      AKIMBO_URL: `http://localhost:${port}`,
      AKIMBO_TOKEN: TOKEN,
      STATE_DIR: stateDir,
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [exitCode] = await once(cli, "exit");
  if (exitCode !== 0) throw new Error(`The CLI ended with ${exitCode}.`);
}

/** A film that is all holes but for its head: read at the speed of memory, by both. */
async function sparseFilm(workspace: Workspace, sizeBytes: number): Promise<string> {
  const path = join(await workspace.folder(), "film.mp4");
  const file = await open(path, "w");
  await file.truncate(sizeBytes);
  await file.write(filmHead(sizeBytes), 0);
  await file.close();
  return path;
}

function createClient(port: number, isLean: boolean): S3Client {
  const endpoint = String(localStorageVars(port).STORAGE_ENDPOINT);
  const { bucket, accessKeyId, secretAccessKey } = LOCAL_STORAGE;
  const client = new S3Client({
    endpoint: endpoint.slice(0, -bucket.length),
    credentials: { accessKeyId, secretAccessKey },
    region: "auto",
    forcePathStyle: true,
    requestChecksumCalculation: isLean ? "WHEN_REQUIRED" : "WHEN_SUPPORTED",
  });
  if (isLean) {
    client.middlewareStack.add(
      (next) => (args) => {
        const { headers } = args.request as { headers: Record<string, string> };
        headers["x-amz-content-sha256"] = "UNSIGNED-PAYLOAD";
        return next(args);
      },
      { step: "build" },
    );
  }
  return client;
}

class Bucket {
  private readonly client: S3Client;
  private readonly lean: S3Client;

  constructor(port: number) {
    this.client = createClient(port, false);
    this.lean = createClient(port, true);
  }

  /** As the documentation of the SDK does it, with the parts and connections that the CLI has. */
  async send(path: string, isLean: boolean): Promise<void> {
    const upload = new Upload({
      client: isLean ? this.lean : this.client,
      params: {
        Bucket: LOCAL_STORAGE.bucket,
        Key: "bench/film.mp4",
        Body: createReadStream(path),
        ContentType: "video/mp4",
      },
      queueSize: LANES,
      partSize: PART_BYTES,
    });
    await upload.done();
  }

  /** Removes every object. @throws when there is not one, of that size */
  async empty(sizeBytes: number): Promise<void> {
    const Bucket = LOCAL_STORAGE.bucket;
    const { Contents = [] } = await this.client.send(new ListObjectsV2Command({ Bucket }));
    const [only] = Contents;
    const Key = only?.Key ?? "";
    const { ContentLength } = await this.client.send(new HeadObjectCommand({ Bucket, Key }));
    if (Contents.length !== 1 || ContentLength !== sizeBytes) {
      throw new Error(`${Contents.length} objects are there, of ${ContentLength} bytes.`);
    }
    await this.client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key }] } }));
  }
}

/** The same file to the same storage endpoint, by the CLI and by the S3 client of the AWS SDK in turn. */
export async function measureStorage(workspace: Workspace, sizeBytes: number): Promise<Row[]> {
  const here = await startHere(workspace);
  const file = await sparseFilm(workspace, sizeBytes);
  const bucket = new Bucket(here.port);
  const seconds: Record<Sender, number[]> = { cli: [], sdk: [], lean: [] };
  for (const who of ORDER) {
    const startedAt = performance.now();
    if (who === "cli") await sendByCli(here, file);
    else await bucket.send(file, who === "lean");
    seconds[who].push((performance.now() - startedAt) / 1_000);
    await bucket.empty(sizeBytes);
  }
  await rm(file);
  const megabytes = sizeBytes / MEGABYTE;
  const speedOf = (who: Sender) =>
    (seconds[who].length * megabytes) / seconds[who].reduce((sum, one) => sum + one, 0);
  const told = (who: Sender) =>
    `${seconds[who].map((one) => (megabytes / one).toFixed(0)).join(", ")} MB/s`;
  const shareOf = (who: Sender): Row => {
    const share = speedOf("cli") / speedOf(who);
    return {
      what: `speed of the CLI beside ${who === "sdk" ? "it" : "that"}`,
      measured: `${(100 * share).toFixed(0)} %`,
      bar: `≥ ${100 * LEAST_SHARE} %`,
      ok: share >= LEAST_SHARE,
    };
  };
  return [
    note(`${megabytes.toFixed(0)} MB by the CLI`, told("cli")),
    note("the same by the S3 client of the AWS SDK", told("sdk")),
    shareOf("sdk"),
    note("the same without its digests, as over HTTPS", told("lean")),
    shareOf("lean"),
  ];
}
