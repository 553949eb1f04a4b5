import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { AddressesEnded, putRange, RefusedPut } from "../../src/cli/put-range.ts";
import { retrying, TemporaryProblem } from "../../src/cli/retry.ts";

const BYTES = 5_000_000;
const OFFSET = 1_000_000;
const SIZE = 3_000_000;

type Answer = (request: IncomingMessage, response: ServerResponse, call: number) => void;

/** A storage that answers as it is told, and a file to put there. */
async function setUp(t: TestContext, answer: Answer) {
  const folder = await mkdtemp(join(tmpdir(), "akimbo-put-"));
  const path = join(folder, "file");
  const bytes = Buffer.from(Uint8Array.from({ length: BYTES }, (_, i) => i % 251));
  await writeFile(path, bytes);
  let calls = 0;
  const server = createServer((request, response) => answer(request, response, ++calls));
  server.listen(0, "localhost");
  await once(server, "listening");
  t.after(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });
  const url = `http://localhost:${(server.address() as AddressInfo).port}/object`;
  let counted = 0;
  const onBytes = (count: number) => {
    counted += count;
  };
  const { signal } = new AbortController();
  const put = (more: object = {}) =>
    putRange({ url, file: { path }, offset: OFFSET, size: SIZE, signal, onBytes, ...more });
  return { put, bytes, counted: () => counted, calls: () => calls };
}

const refuse =
  (status: number, code: string): Answer =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/xml" });
    response.end(`<Error><Code>${code}</Code><Message>No.</Message></Error>`);
  };

test("puts the range, with its length, and gives the ETag without quotes", async (t) => {
  let received = Buffer.alloc(0);
  let length: string | undefined;
  const { put, bytes, counted } = await setUp(t, async (request, response) => {
    length = request.headers["content-length"];
    received = await buffer(request);
    response.writeHead(200, { etag: '"abc"' }).end();
  });
  assert.equal(await put(), "abc");
  assert.equal(length, String(SIZE));
  assert.ok(received.equals(bytes.subarray(OFFSET, OFFSET + SIZE)));
  assert.equal(counted(), SIZE);
});

test("what fails in passing is sent again, and its bytes count once", async (t) => {
  const { put, counted, calls } = await setUp(t, async (request, response, call) => {
    if (call === 1) return request.destroy();
    await buffer(request);
    if (call === 2) return refuse(503, "SlowDown")(request, response, call);
    response.writeHead(200, { etag: '"abc"' }).end();
  });
  assert.equal(await retrying(put), "abc");
  assert.equal(calls(), 3);
  assert.equal(counted(), SIZE);
});

for (const [status, code, expected] of [
  [403, "ExpiredRequest", AddressesEnded],
  [404, "NoSuchUpload", AddressesEnded],
  [403, "SignatureDoesNotMatch", RefusedPut],
  [412, "PreconditionFailed", RefusedPut],
  [500, "InternalError", TemporaryProblem],
] as const) {
  test(`${status} ${code}, before the body is read, is ${expected.name}`, async (t) => {
    const { put, counted } = await setUp(t, refuse(status, code));
    await assert.rejects(put(), expected);
    assert.equal(counted(), 0);
  });
}

test("a file that became shorter is told, not sent", async (t) => {
  const { put } = await setUp(t, () => {});
  await assert.rejects(put({ size: BYTES }), /became shorter/);
});

test("an aborted PUT ends at once", async (t) => {
  const aborting = new AbortController();
  const { put } = await setUp(t, () => aborting.abort());
  await assert.rejects(put({ signal: aborting.signal }), { name: "AbortError" });
});
