import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { SAMPLE_VIDEO_BASE64 } from "../../src/cli/sample-video.ts";
import { startLocalService } from "./local-service.ts";

const POLL_MS = 250;
const PUBLISH_TIMEOUT_MS = 75_000;

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
type Answer = any;
export type Bytes = Uint8Array<ArrayBuffer>;

export const sampleVideo = Buffer.from(SAMPLE_VIDEO_BASE64, "base64");

/** Starts the whole service, and gives what tests do with its storage. */
export async function startService() {
  const service = await startLocalService();
  const { origin, token, api } = service;
  return {
    ...service,

    /** The addresses of one file. */
    async presign(route: string, type: string, size: number): Promise<Answer> {
      const files = [{ name: "a", size, type }];
      const answer = await api("POST", "/upload/presign", { route, files });
      assert.equal(answer.success, true, JSON.stringify(answer));
      return answer.files[0];
    },

    /** Makes a sandbox account; its id. */
    async connect(platform: string): Promise<string> {
      const wanted = { platform, sandbox: true, name: "Storage" };
      return (await api("POST", "/accounts", wanted)).data.id;
    },

    /** Posts, and waits for the outcome. */
    async post(fields: Record<string, string>): Promise<{ status: number; body: Answer }> {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      const response = await fetch(`${origin}/api/v1/upload?async=false`, {
        method: "POST",
        headers: { "x-api-key": token },
        body: form,
      });
      return { status: response.status, body: await response.json() };
    },

    /** The post once it has failed by `code`. It may have failed by another before. */
    async failedBy(uploadId: number, code: string): Promise<{ errorMessage: string }> {
      for (const deadline = Date.now() + PUBLISH_TIMEOUT_MS; ; await sleep(POLL_MS)) {
        const { data } = await api("GET", `/upload/${uploadId}`);
        if (data.status === "failed" && data.failure.code === code) return data;
        assert.ok(Date.now() < deadline, JSON.stringify(data));
      }
    },

    /** Lets the service think that it is so much later than it is. Storage has a clock of its own. */
    async moveClock(offsetSeconds: number): Promise<void> {
      const { status } = await fetch(`${origin}/sandbox/api/clock`, {
        method: "POST",
        headers: { "x-api-key": token, "content-type": "application/json" },
        body: JSON.stringify({ offsetSeconds }),
      });
      assert.equal(status, 200);
    },
  };
}

/** The outcome of a PUT. */
export async function put(url: string, body: Bytes, headers: Record<string, string> = {}) {
  const { "content-length": _, ...sent } = headers;
  const response = await fetch(url, { method: "PUT", body, headers: sent });
  const text = await response.text();
  const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? null;
  const etag = response.headers.get("etag")?.replaceAll('"', "") ?? "";
  return { status: response.status, code, etag };
}

export interface PutPart {
  partNumber: number;
  etag: string;
}

/** Puts all parts of a file at the same time. */
export const putParts = ({ multipart }: Answer, bytes: Bytes): Promise<PutPart[]> =>
  Promise.all(
    multipart.parts.map(async ({ partNumber, uploadUrl, size }: Record<string, never>) => {
      const from = (Number(partNumber) - 1) * multipart.partSize;
      const { status, etag } = await put(String(uploadUrl), bytes.slice(from, from + Number(size)));
      assert.equal(status, 200);
      return { partNumber: Number(partNumber), etag };
    }),
  );

/** The list of parts as S3 clients send it. */
export const partList = (parts: readonly PutPart[]): string =>
  `<CompleteMultipartUpload>${parts
    .map(
      ({ partNumber, etag }) =>
        `<Part><PartNumber>${partNumber}</PartNumber><ETag>${etag}</ETag></Part>`,
    )
    .join("")}</CompleteMultipartUpload>`;
