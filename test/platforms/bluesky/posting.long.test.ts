import { expect, test } from "vitest";
import { sha256Hex } from "../../../src/core/signature.ts";
import { count, dieAt, openStage, type Wrap } from "../../support/stage.ts";
import { bluesky } from "./row.ts";

/** More than two of the simulator's 5 MiB parts. */
const VIDEO_BYTES = 12_000_000;

/** Every part differs, and the service knows none. */
function randomVideo(seed: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(VIDEO_BYTES);
  for (let i = 0, value = seed; i < bytes.length; i++) {
    value = (Math.imul(value, 1_664_525) + 1_013_904_223) | 0;
    bytes[i] = value >>> 24;
  }
  bytes.set(new TextEncoder().encode("\0\0\0\x18ftypmp42"));
  return bytes;
}

let seed = 0;

async function onStage() {
  const bytes = randomVideo(++seed);
  const usual = () => ({ description: "Look", video: new Blob([bytes], { type: "video/mp4" }) });
  return { ...(await openStage("bluesky", { ...bluesky, usual })), bytes };
}

const parts = (calls: string[]) => calls.filter((call) => call.startsWith("uploadPart"));

test("the `file` field takes a video as well, and it needs no text", async () => {
  const stage = await onStage();
  const file = new Blob([stage.bytes.slice(0, 100_000)]);
  const { upload, feed } = await stage.publish({ video: [], file, description: [] });
  expect(upload).toMatchObject({ status: "completed" });
  expect(feed).toMatchObject([{ media: [{ kind: "video", sizeBytes: 100_000 }] }]);
});

test("the same video posted twice is processed once, and both posts show it", async () => {
  const stage = await onStage();
  const bytes = stage.bytes.slice(0, 100_000);
  const video = new Blob([bytes]);
  expect((await stage.publish({ video })).upload).toMatchObject({ status: "completed" });
  const { upload, feed } = await stage.publish({ video, description: "Again" });
  expect(upload).toMatchObject({ status: "completed" });
  const sha256 = await sha256Hex(bytes);
  expect(feed).toMatchObject([{ media: [{ sha256 }] }, { media: [{ sha256 }] }]);
});

/** JSON inside a JSON parameter of a statement. */
const missing = (numbers: number[]) => `\\"missing\\":${JSON.stringify(numbers)}`;
const PROCESSING = '\\"stage\\":\\"processing\\"';

test.each<["after" | "before", string[]]>([
  ["after", ["uploadPart 1", "uploadPart 2", "uploadPart 3"]],
  // Whether the part arrived is unknown; sending it again does no harm.
  ["before", [1, 1, 2, 2, 3, 3].map((n) => `uploadPart ${n}`)],
])("runs killed %s each part's bookmark is stored repeat no step that was", async (when, sent) => {
  const stage = await onStage();
  const writes = [missing([2, 3]), missing([3]), missing([]), PROCESSING];
  const deaths = dieAt(stage, when, writes);
  const { upload, calls, feed } = await stage.publish();
  expect(deaths()).toBe(4);
  expect(parts(calls)).toEqual(sent);
  expect(count(calls, "startUpload")).toBe(1);
  expect(upload).toMatchObject({ status: "completed" });
  expect(feed).toMatchObject([{ received: 1, media: [{ sha256: await sha256Hex(stage.bytes) }] }]);
});

/** A service without uploads in parts. */
const withoutParts: Wrap = async (call, answer) =>
  bluesky.nameOf(call) === "startUpload"
    ? Response.json({ error: "MethodNotImplemented" }, { status: 501 })
    : answer();

/** Opens as many uploads as the account may have. */
const withTenOpen: Wrap = async (call, answer) => {
  if (bluesky.nameOf(call) !== "startUpload") return answer();
  const { method, url, headers } = call.request;
  const body = await call.request.text();
  for (let open = 0; open < 10; open++) {
    Object.assign(call, { request: new Request(url, { method, headers, body }) });
    await answer();
  }
  Object.assign(call, { request: new Request(url, { method, headers, body }) });
  return answer();
};

test.each([
  ["the service knows no parts", withoutParts],
  ["ten uploads in parts are open already", withTenOpen],
])("where %s, the whole video goes out in one call", async (_, wrap) => {
  const stage = await onStage();
  const { upload, calls, feed } = await stage.publish({}, wrap);
  expect(calls).toContain("uploadVideo");
  expect(parts(calls)).toEqual([]);
  expect(upload).toMatchObject({ status: "completed", errorMessage: null });
  expect(feed).toMatchObject([
    { media: [{ sizeBytes: VIDEO_BYTES, sha256: await sha256Hex(stage.bytes) }] },
  ]);
});

test("a video that the service has dropped before its end is sent again from the start", async () => {
  const stage = await onStage();
  let ends = 0;
  const { upload, calls, feed } = await stage.publish({}, async (call, answer) => {
    if (bluesky.nameOf(call) !== "finishUpload" || ++ends > 1) return answer();
    return Response.json({ error: "UploadExpired", message: "Too late" }, { status: 400 });
  });
  expect(count(calls, "startUpload")).toBe(2);
  expect(parts(calls)).toHaveLength(6);
  expect(upload).toMatchObject({ status: "completed" });
  expect(feed).toHaveLength(1);
});
