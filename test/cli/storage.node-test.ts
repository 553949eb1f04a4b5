import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { LOCAL_STORAGE, localStorageVars } from "../../src/cli/local-storage.ts";
import { inProject } from "../../src/cli/paths.ts";

/** The whole service as `npm start` runs it: its storage is wrangler's own S3 endpoint. */

const TOKEN = `kmb_${"5".repeat(64)}`;
let server: ChildProcess;
let stateDir: string;
let origin: string;

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "localhost");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

before(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "akimbo-storage-"));
  const port = await freePort();
  origin = `http://localhost:${port}`;
  server = fork(inProject("src/cli/start.ts"), {
    env: {
      ...process.env,
      PORT: String(port),
      STATE_DIR: stateDir,
      AKIMBO_DEMO_TOKEN: TOKEN,
    },
    stdio: "ignore",
  });
  const [message] = await once(server, "message");
  assert.equal(message, "ready");
});

after(async () => {
  if (server.exitCode === null) {
    server.kill("SIGINT");
    await once(server, "exit");
  }
  await rm(stateDir, { recursive: true });
});

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
async function api(method: string, path: string, body?: object): Promise<any> {
  const response = await fetch(`${origin}/api/v1${path}`, {
    method,
    headers: { "x-api-key": TOKEN, "content-type": "application/json" },
    body: body ? JSON.stringify(body) : null,
  });
  return response.json();
}

async function presign(route: string, type: string, size: number) {
  const answer = await api("POST", "/upload/presign", {
    route,
    files: [{ name: "a", size, type }],
  });
  assert.equal(answer.success, true, JSON.stringify(answer));
  return answer.files[0];
}

/** The status of a PUT. A connection is not used again: the local endpoint leaves a refused body unread. */
async function put(
  url: string,
  body: Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
) {
  const { "content-length": _, ...sent } = headers;
  const response = await fetch(url, {
    method: "PUT",
    body,
    headers: { ...sent, connection: "close" },
  });
  await response.text();
  return { status: response.status, etag: response.headers.get("etag")?.replaceAll('"', "") ?? "" };
}

test("the key and the bucket are those of wrangler.toml", async () => {
  const toml = await readFile(inProject("wrangler.toml"), "utf8");
  for (const value of Object.values(LOCAL_STORAGE)) assert.ok(toml.includes(`"${value}"`), value);
  assert.deepEqual(localStorageVars(1, { STORAGE_ENDPOINT: "https://own.example/bucket" }), {});
});

test("a video in parts, put at the same time, is there as it was sent, and is published", async () => {
  const film = Buffer.concat([await sampleVideo(), randomBytes(40_000_000)]);
  const bytes = Uint8Array.from(film);
  const { multipart, accessUrl, bucketUrl } = await presign(
    "youtube_videos",
    "video/mp4",
    bytes.length,
  );
  assert.equal(multipart.parts.length, 3);
  const parts = await Promise.all(
    multipart.parts.map(async ({ partNumber, uploadUrl, size }: Record<string, never>) => {
      const from = (Number(partNumber) - 1) * multipart.partSize;
      const { status, etag } = await put(String(uploadUrl), bytes.slice(from, from + Number(size)));
      assert.equal(status, 200);
      return `<Part><PartNumber>${partNumber}</PartNumber><ETag>${etag}</ETag></Part>`;
    }),
  );
  const body = `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
  const headers = { "content-type": "application/xml" };
  const completed = await fetch(multipart.completeUrl, { method: "POST", headers, body });
  assert.equal(completed.status, 200, await completed.text());
  assert.equal((await fetch(multipart.abortUrl, { method: "DELETE" })).status, 409);

  assert.equal((await fetch(bucketUrl)).status, 401);
  const fetched = Buffer.from(await (await fetch(accessUrl)).arrayBuffer());
  const digest = (data: Uint8Array) => createHash("sha256").update(data).digest("hex");
  assert.equal(digest(fetched), digest(bytes));
  const range = await fetch(accessUrl, { headers: { range: "bytes=4-7" } });
  assert.equal(range.status, 206);
  assert.equal(await range.text(), "ftyp");

  const account = await api("POST", "/accounts", {
    platform: "youtube",
    sandbox: true,
    name: "Film",
  });
  const form = new FormData();
  for (const [name, value] of Object.entries({
    accountId: account.data.id,
    title: "A film",
    video: bucketUrl,
  })) {
    form.append(name, value);
  }
  const created = await fetch(`${origin}/api/v1/upload?async=false`, {
    method: "POST",
    headers: { "x-api-key": TOKEN },
    body: form,
  });
  const { data } = (await created.json()) as { data: { status: string; errorMessage: string } };
  assert.equal(data.status, "completed", JSON.stringify(data));
});

test("storage itself refuses what was not declared", async () => {
  const { multipart } = await presign("linkedin_videos", "video/mp4", 1_000);
  const [part] = multipart.parts;
  assert.equal((await put(part.uploadUrl, new Uint8Array(1_001))).status, 403);
  assert.equal((await put(part.uploadUrl, new Uint8Array(999))).status, 403);
  const numbered = part.uploadUrl.replace("partNumber=1", "partNumber=2");
  assert.equal((await put(numbered, new Uint8Array(1_000))).status, 403);
  const edited = part.uploadUrl.replace("X-Amz-Expires=21600", "X-Amz-Expires=43200");
  assert.equal((await put(edited, new Uint8Array(1_000))).status, 403);
  assert.equal((await fetch(multipart.abortUrl, { method: "DELETE" })).status, 204);
  assert.notEqual((await put(part.uploadUrl, new Uint8Array(1_000))).status, 200);

  const photo = await presign("photos", "image/png", 5);
  const other = await presign("photos", "image/png", 5);
  const bytes = new Uint8Array(5);
  const { uploadUrl, uploadHeaders } = photo;
  assert.equal((await put(uploadUrl, new Uint8Array(6), uploadHeaders)).status, 403);
  const asHtml = { ...uploadHeaders, "content-type": "text/html" };
  assert.equal((await put(uploadUrl, bytes, asHtml)).status, 403);
  const elsewhere = uploadUrl.replace(/[^?]+/, other.uploadUrl.split("?")[0]);
  assert.equal((await put(elsewhere, bytes, uploadHeaders)).status, 403);
  assert.equal((await put(uploadUrl, bytes, uploadHeaders)).status, 200);
  assert.equal((await put(uploadUrl, bytes, uploadHeaders)).status, 412);
});

async function sampleVideo(): Promise<Buffer> {
  const { SAMPLE_VIDEO_BASE64 } = await import("../../src/cli/sample-video.ts");
  return Buffer.from(SAMPLE_VIDEO_BASE64, "base64");
}
