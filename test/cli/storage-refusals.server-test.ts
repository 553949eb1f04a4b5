import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { createGradientPng } from "../../src/cli/png.ts";
import { localSigner, overwrite } from "../support/bucket-key.ts";
import { type Bytes, partList, put, putParts, startService } from "./served-storage.ts";

/** Mistakes of clients on the way by storage, and what the whole service, as `npm start` runs it, answers. */

const PART = 16 * 1024 ** 2;
const FILM = Uint8Array.from(randomBytes(PART + 1_000));
const PNG = Uint8Array.from(
  createGradientPng({ width: 8, height: 8, from: [0, 0, 0], to: [9, 9, 9] }),
);
const PAGE = "https://page.example";

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
});

after(() => service.stop());

const presignFilm = () => service.presign("linkedin_videos", "video/mp4", FILM.length);
const presignPhoto = () => service.presign("photos", "image/png", PNG.length);

interface Told {
  status: number;
  code: string | null;
}

/** Reads an answer, which is XML whatever it says. */
async function told(response: Response): Promise<Told> {
  const text = await response.text();
  if (response.status !== 204) {
    assert.equal(response.headers.get("content-type"), "application/xml", text);
  }
  return { status: response.status, code: /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? null };
}

const complete = async (url: string, body: string, method = "POST"): Promise<Told> =>
  told(
    await fetch(url, {
      method,
      headers: { "content-type": "application/xml" },
      body: method === "GET" ? null : body,
    }),
  );
const abort = async (url: string): Promise<Told> => told(await fetch(url, { method: "DELETE" }));

const refusal = (status: number, code: string): Told => ({ status, code });
const DONE: Told = { status: 200, code: null };
const ABORTED: Told = { status: 204, code: null };
const NOT_SO = refusal(405, "MethodNotAllowed");
const FORGED = refusal(403, "AccessDenied");

test("an address of storage takes nothing else, and not for longer", async () => {
  const [film, other] = [await presignFilm(), await presignFilm()];
  const { uploadUrl } = film.multipart.parts[1];
  const bytes = FILM.slice(PART);
  const param = (url: string, name: string) => new URL(url).searchParams.get(name) ?? "";
  const changed = (name: string, value: string) => {
    const url = new URL(uploadUrl);
    url.searchParams.set(name, value);
    return String(url);
  };
  const otherUpload = param(other.multipart.parts[1].uploadUrl, "uploadId");
  const wrong: [string, string, Bytes][] = [
    ["more bytes", uploadUrl, new Uint8Array(bytes.length + 1)],
    ["fewer bytes", uploadUrl, bytes.slice(1)],
    ["none", uploadUrl, new Uint8Array()],
    ["another upload", changed("uploadId", otherUpload), bytes],
    ["another part", changed("partNumber", "1"), bytes],
    ["a longer life", changed("X-Amz-Expires", "86400"), bytes],
    ["another day", changed("X-Amz-Date", "20991231T000000Z"), bytes],
    ["no signature", changed("X-Amz-Signature", ""), bytes],
  ];
  for (const [name, url, body] of wrong) {
    const { status } = await put(url, body);
    assert.ok(status >= 400 && status < 500, `${name}: ${status}`);
  }
  for (const method of ["GET", "DELETE"]) {
    const { status } = await fetch(uploadUrl, { method });
    assert.equal(status, 403, method);
  }

  const photo = await presignPhoto();
  const key = new URL(photo.accessUrl).pathname.slice("/files/".length);
  const twoHoursAgo = new Date(Date.now() - 2 * 3_600_000);
  const late = await localSigner(new URL(photo.uploadUrl).origin, twoHoursAgo).putObject(key, {
    sizeBytes: PNG.length,
    mime: "image/png",
  });
  const { status, code } = await put(late.uploadUrl, PNG, late.uploadHeaders);
  assert.deepEqual([status, code], [403, "ExpiredRequest"]);
  const { "if-none-match": _, ...withoutCondition } = photo.uploadHeaders;
  assert.equal((await put(photo.uploadUrl, PNG, withoutCondition)).status, 403);
  assert.equal((await fetch(photo.accessUrl)).status, 404);
});

test("calls go well after bodies that storage refused", async () => {
  const large = Uint8Array.from(randomBytes(1_000_000));
  const calls: [string, RequestInit, number][] = [
    ["/accounts", {}, 200],
    ["/upload", { method: "POST" }, 400],
  ];
  const refuseEach = async () => {
    const film = await service.presign("linkedin_videos", "video/mp4", large.length);
    const { uploadUrl } = film.multipart.parts[0];
    const signer = localSigner(new URL(uploadUrl).origin, new Date(Date.now() - 2 * 3_600_000));
    const late = await signer.putObject("late", { sizeBytes: large.length, mime: "video/mp4" });
    const more = new Uint8Array(large.length + 1);
    assert.equal((await put(uploadUrl, more)).code, "SignatureDoesNotMatch");
    const forged = uploadUrl.replace(/(?<=X-Amz-Signature=).{4}/, "0000");
    assert.equal((await put(forged, large)).code, "SignatureDoesNotMatch");
    assert.equal((await put(late.uploadUrl, large, late.uploadHeaders)).code, "ExpiredRequest");
  };
  for (let round = 0; round < 5; round++) {
    await refuseEach();
    for (let call = 0; call < 3; call++) {
      for (const [path, options, expected] of calls) {
        const body = options.method ? new FormData() : null;
        body?.append("description", "Hello");
        const headers = { "x-api-key": service.token };
        const answer = await fetch(`${service.origin}/api/v1${path}`, {
          ...options,
          headers,
          body,
        });
        assert.equal(answer.status, expected, `${path}: ${await answer.text()}`);
      }
    }
  }
});

test("bytes that stop halfway, or come without a length, are not there", async () => {
  const photo = await presignPhoto();
  const { host, hostname, port, pathname, search } = new URL(photo.uploadUrl);
  const head = Object.entries({ host, ...photo.uploadHeaders }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  await new Promise<void>((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write(`PUT ${pathname}${search} HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n`);
      socket.write(PNG.slice(0, 10), () => socket.destroy());
    }).on("close", () => resolve());
  });
  const { "content-length": _, ...headers } = photo.uploadHeaders;
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const options = { method: "PUT", headers: { ...headers, connection: "close" } };
    const sent = request(photo.uploadUrl, options, (answer) => resolve(answer.statusCode));
    sent.on("error", reject);
    sent.write(PNG);
    sent.end();
  });
  assert.ok(status && status >= 400 && status < 500, `${status}`);
  assert.equal((await fetch(photo.accessUrl)).status, 404);
  assert.equal((await put(photo.uploadUrl, PNG, photo.uploadHeaders)).status, 200);
});

test("a list is that of all parts, in order, as they are in storage", async () => {
  const film = await presignFilm();
  const { completeUrl, abortUrl } = film.multipart;
  const nothingPut = [1, 2].map((partNumber) => ({ partNumber, etag: "0".repeat(32) }));
  assert.deepEqual(await complete(completeUrl, partList(nothingPut)), refusal(400, "InvalidPart"));
  const parts = await putParts(film, FILM);
  const [one, two] = parts as [(typeof parts)[0], (typeof parts)[0]];
  const list = partList(parts);
  const wrong: [string, string][] = [
    [partList([two, one]), "InvalidPartOrder"],
    [partList([one, one, two]), "InvalidPartOrder"],
    [partList([one]), "InvalidPart"],
    [partList([two]), "InvalidPart"],
    [partList([]), "InvalidPart"],
    [partList([one, two, { ...two, partNumber: 3 }]), "InvalidPart"],
    [partList([one, { ...two, etag: one.etag }]), "InvalidPart"],
    [partList([one, { ...two, etag: "f".repeat(32) }]), "InvalidPart"],
    ["", "MalformedXML"],
    ['{"parts":[]}', "MalformedXML"],
    [list.slice(0, -3), "MalformedXML"],
    [list.replace("<ETag>", "<ETag><![CDATA["), "MalformedXML"],
    [`<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>${list}`, "MalformedXML"],
    [`<!DOCTYPE a [<!ENTITY b "${"b".repeat(10_000)}">]>${list}`, "MalformedXML"],
    ["<CompleteMultipartUpload>".repeat(30_000), "MalformedXML"],
    ["\0\uFFFF", "MalformedXML"],
  ];
  for (const [body, code] of wrong) {
    assert.deepEqual(await complete(completeUrl, body), refusal(400, code), body.slice(0, 300));
  }
  const { status } = await complete(completeUrl, " ".repeat(1_000_001));
  assert.equal(status, 413);

  assert.deepEqual(await complete(completeUrl, list), DONE);
  assert.deepEqual(await complete(completeUrl, list), DONE);
  const other = partList([one, { ...two, etag: "f".repeat(32) }]);
  assert.deepEqual(await complete(completeUrl, other), DONE);
  assert.deepEqual(await complete(completeUrl, partList([one])), refusal(400, "InvalidPart"));
  assert.deepEqual(await abort(abortUrl), refusal(409, "OperationAborted"));
  const kept = new Uint8Array(await (await fetch(film.accessUrl)).arrayBuffer());
  assert.equal(Buffer.compare(kept, FILM), 0);
});

test("an upload that was given up stays so", async () => {
  const film = await presignFilm();
  const { completeUrl, abortUrl, parts } = film.multipart;
  const list = partList(await putParts(film, FILM));
  assert.deepEqual(await abort(abortUrl), ABORTED);
  assert.deepEqual(await abort(abortUrl), ABORTED);
  assert.deepEqual(await complete(completeUrl, list), refusal(410, "NoSuchUpload"));
  const { status } = await put(parts[1].uploadUrl, FILM.slice(PART));
  assert.ok(status >= 400 && status < 500, `${status}`);
  assert.equal((await fetch(film.accessUrl)).status, 404);
});

test("completeUrl and abortUrl work as they were given out alone", async () => {
  const [film, other] = [await presignFilm(), await presignFilm()];
  const { completeUrl, abortUrl } = film.multipart;
  const list = partList(await putParts(film, FILM));
  const idOf = (url: string) => /\/(\d+)\?/.exec(url)?.[1] ?? "";
  const signatureOf = (url: string) => new URL(url).searchParams.get("signature") ?? "";
  const changes: [string, (url: URL) => unknown][] = [
    [
      "another id",
      (url) => {
        url.pathname = url.pathname.replace(/\d+$/, idOf(other.multipart.completeUrl));
      },
    ],
    ["a later end", ({ searchParams }) => searchParams.set("expires", "9999999999")],
    ["an end that is no number", ({ searchParams }) => searchParams.set("expires", "NaN")],
    ["no end", ({ searchParams }) => searchParams.delete("expires")],
    ["another signature", ({ searchParams }) => searchParams.set("signature", "0".repeat(64))],
    [
      "the other's signature",
      ({ searchParams }) => searchParams.set("signature", signatureOf(abortUrl)),
    ],
    ["no signature", ({ searchParams }) => searchParams.delete("signature")],
  ];
  for (const [name, change] of changes) {
    const url = new URL(completeUrl);
    change(url);
    assert.deepEqual(await complete(String(url), list), FORGED, name);
  }
  assert.deepEqual(await abort(abortUrl.replace("/abort/", "/complete/")), NOT_SO);
  for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
    assert.deepEqual(await complete(completeUrl, list, method), NOT_SO, method);
  }
  for (const method of ["GET", "POST", "PUT"]) {
    assert.deepEqual(await complete(abortUrl, list, method), NOT_SO, method);
  }

  await service.moveClock(6 * 3_600);
  assert.deepEqual(await complete(completeUrl, list), FORGED);
  assert.deepEqual(await abort(abortUrl), FORGED);
  await service.moveClock(0);
  assert.deepEqual(await complete(completeUrl, list), DONE);
});

test("bucketUrl is for posts alone, accessUrl for everybody who reads", async () => {
  const photo = await presignPhoto();
  assert.equal((await put(photo.uploadUrl, PNG, photo.uploadHeaders)).status, 200);
  for (const method of ["GET", "PUT", "POST", "DELETE"]) {
    const answer = await fetch(photo.bucketUrl, { method });
    assert.deepEqual(await told(answer), refusal(401, "AccessDenied"), method);
  }
  assert.equal((await fetch(photo.bucketUrl, { method: "HEAD" })).status, 401);

  const ranges: [string, number, number][] = [
    ["bytes=0-0", 206, 1],
    ["bytes=-4", 206, 4],
    ["bytes=4-", 206, PNG.length - 4],
    ["bytes=0-999999", 206, PNG.length],
    ["bytes=0-1,3-4", 200, PNG.length],
    ["bytes=4-3", 200, PNG.length],
    ["bytes=-", 200, PNG.length],
    ["bytes=0x1-2", 200, PNG.length],
    [`bytes=${"9".repeat(1_000)}-`, 200, PNG.length],
    ["items=0-1", 200, PNG.length],
    [`bytes=${PNG.length}-`, 416, 0],
    ["bytes=-0", 416, 0],
  ];
  for (const [range, status, length] of ranges) {
    const answer = await fetch(photo.accessUrl, { headers: { range } });
    const bytes = await answer.arrayBuffer();
    assert.deepEqual([answer.status, bytes.byteLength], [status, length], range.slice(0, 40));
    const head = await fetch(photo.accessUrl, { method: "HEAD", headers: { range } });
    const told = [head.status, head.headers.get("content-length")];
    assert.deepEqual(told, [200, String(PNG.length)], range.slice(0, 40));
  }
  for (const method of ["PUT", "POST", "DELETE"]) {
    assert.equal((await fetch(photo.accessUrl, { method })).status, 405, method);
  }
});

test("a file that takes the place of another in storage is not published", async () => {
  const photo = await presignPhoto();
  assert.equal((await put(photo.uploadUrl, PNG, photo.uploadHeaders)).status, 200);
  const accountId = await service.connect("bluesky");
  const description = "Mine [sandbox:rate_limited]";
  const { status, body } = await service.post({ accountId, description, photo: photo.bucketUrl });
  assert.deepEqual([status, body.data.failure.code], [200, "rate_limited"]);
  const key = new URL(photo.accessUrl).pathname.slice("/files/".length);
  const other = Uint8Array.from([...PNG, 0]);
  assert.equal(await overwrite(service.origin, key, other), 200);
  const { uploadId } = body.data;
  assert.equal((await service.api("POST", `/upload/${uploadId}/retry`)).success, true);
  const { errorMessage } = await service.failedBy(uploadId, "media_invalid");
  assert.match(errorMessage, /replaced in storage after the post was created/);
  const again = await service.post({ accountId, description: "Other", photo: photo.bucketUrl });
  assert.equal(again.body.data.status, "completed", JSON.stringify(again.body));
});

test("a page of any origin may put, and call what is on our own host", async () => {
  const [photo, film] = [await presignPhoto(), await presignFilm()];
  const ask = (url: string, origin: string, method: string, headers: string) =>
    fetch(url, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": method,
        "access-control-request-headers": headers,
      },
    });
  const { completeUrl, abortUrl } = film.multipart;
  const own: [string, string, string][] = [
    [completeUrl, "POST", "content-type"],
    [abortUrl, "DELETE", "content-type"],
    [photo.accessUrl, "GET", "range"],
    [`${service.origin}/api/v1/upload/presign`, "POST", "x-api-key,content-type"],
  ];
  for (const [url, method, headers] of own) {
    const answer = await ask(url, PAGE, method, headers);
    assert.equal(answer.status, 204, url);
    assert.equal(answer.headers.get("access-control-allow-origin"), "*");
    const allowed = answer.headers.get("access-control-allow-headers")?.split(",") ?? [];
    for (const header of headers.split(",")) assert.ok(allowed.includes(header), header);
    assert.ok(answer.headers.get("access-control-allow-methods")?.split(",").includes(method));
  }
  const headers = "content-type,if-none-match";
  const answer = await ask(photo.uploadUrl, PAGE, "PUT", headers);
  assert.equal(answer.status, 204);
  assert.equal(answer.headers.get("access-control-allow-origin"), "*");
  assert.equal(answer.headers.get("access-control-allow-headers"), headers);
  const sent = { ...photo.uploadHeaders, origin: PAGE };
  assert.equal((await put(photo.uploadUrl, PNG, sent)).status, 200);
});
