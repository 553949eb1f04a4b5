import { expect, test } from "vitest";
import { sha256Hex } from "../../../src/core/signature.ts";
import { blueskySimulator } from "../../../src/sandbox/bluesky/index.ts";
import type { SimulatedCall } from "../../../src/sandbox/kit/simulator.ts";
import { connectSandbox, createMember, form, Harness, type Member } from "../../support/harness.ts";

/** More than two parts of the simulator's 5 MiB. */
const VIDEO_BYTES = 12_000_000;

function mp4(seed: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(VIDEO_BYTES);
  for (let i = 0, value = seed; i < bytes.length; i++) {
    value = (Math.imul(value, 1_664_525) + 1_013_904_223) | 0;
    bytes[i] = value >>> 24;
  }
  bytes.set(new TextEncoder().encode("\0\0\0\x18ftypmp42"));
  return bytes;
}

interface Stage {
  harness: Harness;
  member: Member;
  accountId: string;
  bytes: Uint8Array<ArrayBuffer>;
  post(fields?: Parameters<typeof form>[0]): Promise<number>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the record holds
  read(id: number): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the feed holds
  feed(): Promise<any[]>;
}

let seed = 0;

async function onStage(): Promise<Stage> {
  const harness = new Harness();
  const member = await createMember();
  const accountId = await connectSandbox(harness, member, "Video");
  const { token } = member;
  const bytes = mp4(++seed);
  return {
    harness,
    member,
    accountId,
    bytes,
    post: async (fields = {}) => {
      const video = new Blob([bytes], { type: "video/mp4" });
      const body = form({ accountId, description: "Look", video, ...fields });
      const answer = await harness.call("POST", "/upload", { token, body });
      expect(answer.body).toMatchObject({ success: true });
      return answer.body.data.uploadId;
    },
    read: async (id) => (await harness.call("GET", `/upload/${id}`, { token })).body.data,
    feed: async () => {
      const answer = await harness.request(`/sandbox/api/posts?accountId=${accountId}`);
      return ((await answer.json()) as { posts: [] }).posts;
    },
  };
}

type Answer = typeof blueskySimulator.handle;

/** Has every call to the simulated network pass by until the test is over. */
async function watching<T>(
  wrap: (call: SimulatedCall, answer: () => Promise<Response>) => Promise<Response>,
  work: () => Promise<T>,
): Promise<T> {
  const original: Answer = blueskySimulator.handle;
  blueskySimulator.handle = (call, store) => wrap(call, () => original(call, store));
  try {
    return await work();
  } finally {
    blueskySimulator.handle = original;
  }
}

const nameOf = ({ url }: SimulatedCall): string => {
  const method = url.pathname.split(".").at(-1) ?? "";
  const part = url.searchParams.get("partNumber");
  return part ? `${method} ${part}` : method;
};

const parts = (calls: string[]) => calls.filter((call) => call.startsWith("uploadPart"));

test("a video goes out in parts, is waited for, and stands in the feed byte for byte", async () => {
  const stage = await onStage();
  const calls: string[] = [];
  const id = await watching(
    (call, answer) => {
      calls.push(nameOf(call));
      return answer();
    },
    async () => {
      const uploadId = await stage.post({ bluesky_alt_text: "A fox at night" });
      await stage.harness.drain();
      return uploadId;
    },
  );
  expect(await stage.read(id)).toMatchObject({ status: "completed", errorMessage: null });
  expect(parts(calls)).toEqual(["uploadPart 1", "uploadPart 2", "uploadPart 3"]);
  expect(calls.filter((call) => call === "putRecord")).toHaveLength(1);
  expect(await stage.feed()).toMatchObject([
    {
      uploadId: id,
      received: 1,
      text: "Look",
      media: [
        {
          kind: "video",
          mime: "video/mp4",
          sizeBytes: VIDEO_BYTES,
          sha256: await sha256Hex(stage.bytes),
        },
      ],
      fields: { embed: { $type: "app.bsky.embed.video", alt: "A fox at night" } },
    },
  ]);
});

test("the `file` field takes a video as well, and it needs no text", async () => {
  const stage = await onStage();
  const file = new Blob([stage.bytes.slice(0, 100_000)]);
  const id = await stage.post({ video: [], file, description: [] });
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([{ media: [{ kind: "video", sizeBytes: 100_000 }] }]);
});

test("the same video posted twice is processed once, and both posts show it", async () => {
  const stage = await onStage();
  const video = new Blob([stage.bytes.slice(0, 100_000)]);
  const first = await stage.post({ video });
  await stage.harness.drain();
  const second = await stage.post({ video, description: "Again" });
  await stage.harness.drain();
  for (const id of [first, second]) {
    expect(await stage.read(id)).toMatchObject({ status: "completed" });
  }
  const sha256 = await sha256Hex(stage.bytes.slice(0, 100_000));
  expect(await stage.feed()).toMatchObject([{ media: [{ sha256 }] }, { media: [{ sha256 }] }]);
});

/**
 * Has every run die once it has stored a bookmark with `stage` in it: after the write, or with the
 * write lost.
 */
function dieAt(harness: Harness, when: "after" | "before", stages: string[]): () => number {
  const { db } = harness.deps;
  const left = [...stages];
  let deaths = 0;
  const runAll: typeof db.runAll = async (queries) => {
    const [stage] = left;
    const isNext = stage !== undefined && JSON.stringify(queries).includes(stage);
    if (!isNext) return db.runAll(queries);
    left.shift();
    deaths++;
    if (when === "after") await db.runAll(queries);
    throw new Error("The worker was killed.");
  };
  Object.assign(harness.deps, { db: { ...db, runAll } });
  return () => deaths;
}

/** As it stands in a parameter of a statement, written as JSON once more. */
const missing = (numbers: number[]) => `\\"missing\\":${JSON.stringify(numbers)}`;
const PROCESSING = '\\"stage\\":\\"processing\\"';

test.each<["after" | "before", string[]]>([
  ["after", ["uploadPart 1", "uploadPart 2", "uploadPart 3"]],
  // Nobody knows that the part went out, and sending it again does no harm.
  ["before", [1, 1, 2, 2, 3, 3].map((n) => `uploadPart ${n}`)],
])("runs killed %s each part's bookmark is stored repeat no step that was", async (when, sent) => {
  const stage = await onStage();
  const calls: string[] = [];
  const id = await stage.post();
  const deaths = dieAt(stage.harness, when, [
    missing([2, 3]),
    missing([3]),
    missing([]),
    PROCESSING,
  ]);
  await watching(
    (call, answer) => {
      calls.push(nameOf(call));
      return answer();
    },
    async () => {
      for (let run = 0; run < 8; run++) {
        await stage.harness.drain();
        stage.harness.advance(91);
        await stage.harness.tick();
      }
    },
  );
  expect(deaths()).toBe(4);
  expect(parts(calls)).toEqual(sent);
  expect(calls.filter((call) => call === "startUpload")).toHaveLength(1);
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([
    { received: 1, media: [{ sha256: await sha256Hex(stage.bytes) }] },
  ]);
});

test("where the service knows no parts, the whole video goes out in one call", async () => {
  const stage = await onStage();
  const calls: string[] = [];
  const id = await stage.post();
  await watching(
    async (call, answer) => {
      calls.push(nameOf(call));
      if (nameOf(call) !== "startUpload") return answer();
      return Response.json({ error: "MethodNotImplemented" }, { status: 501 });
    },
    () => stage.harness.drain(),
  );
  expect(calls).toContain("uploadVideo");
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([
    { media: [{ sizeBytes: VIDEO_BYTES, sha256: await sha256Hex(stage.bytes) }] },
  ]);
});

test("where ten uploads in parts are open already, the whole video goes out in one call", async () => {
  const stage = await onStage();
  const calls: string[] = [];
  const id = await watching(
    async (call, answer) => {
      const name = nameOf(call);
      calls.push(name);
      // The first start opens as many beside it as the account may have.
      if (name !== "startUpload") return answer();
      const { method, url, headers } = call.request;
      const body = await call.request.text();
      for (let open = 0; open < 10; open++) {
        Object.assign(call, { request: new Request(url, { method, headers, body }) });
        await answer();
      }
      Object.assign(call, { request: new Request(url, { method, headers, body }) });
      return answer();
    },
    async () => {
      const uploadId = await stage.post();
      await stage.harness.drain();
      return uploadId;
    },
  );
  expect(calls).toContain("uploadVideo");
  expect(parts(calls)).toEqual([]);
  expect(await stage.read(id)).toMatchObject({ status: "completed", errorMessage: null });
  expect(await stage.feed()).toMatchObject([{ media: [{ sizeBytes: VIDEO_BYTES }] }]);
});

test("a video that the service has dropped before its end is sent again from the start", async () => {
  const stage = await onStage();
  const calls: string[] = [];
  const id = await stage.post();
  await watching(
    async (call, answer) => {
      calls.push(nameOf(call));
      const isFirst = calls.filter((name) => name === "finishUpload").length === 1;
      if (nameOf(call) !== "finishUpload" || !isFirst) return answer();
      return Response.json({ error: "UploadExpired", message: "Too late" }, { status: 400 });
    },
    () => stage.harness.drain(),
  );
  expect(calls.filter((call) => call === "startUpload")).toHaveLength(2);
  expect(parts(calls)).toHaveLength(6);
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toHaveLength(1);
});

test("a lost reply to the record of a video is looked up, never repeated", async () => {
  const stage = await onStage();
  const id = await stage.post({ description: "Lost [sandbox:lost_reply]" });
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([{ received: 1 }]);
});

test.each([
  ["an image beside the video", { photo: new Blob([new Uint8Array([0xff, 0xd8, 0xff, 0xe0])]) }],
  ["two alt texts", { bluesky_alt_text: ["one", "two"] }],
])("refuses %s before anything is stored (400)", async (_, fields) => {
  const stage = await onStage();
  const body = form({
    accountId: stage.accountId,
    description: "Look",
    video: new Blob([stage.bytes.slice(0, 1_000)]),
    ...fields,
  });
  const { token } = stage.member;
  const answer = await stage.harness.call("POST", "/upload", { token, body });
  expect(answer).toMatchObject({ status: 400, body: { success: false } });
  expect(stage.harness.sent).toEqual([]);
});
