import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { DEFAULT_PLANS } from "../../../src/core/plans.ts";
import { createMember, type Fields, form, harnessWith } from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";
import { uploadPresigned } from "../../support/presigned.ts";
import { type AccountStage, mp4, openAccount, photo } from "../../support/stage.ts";
import { testPng } from "../../support/videos.ts";

const HOUR = 3_600_000;

let stage: AccountStage;
beforeEach(async () => {
  stage = await openAccount();
});

const call = (method: string, path: string, json?: unknown, { member, harness } = stage) =>
  harness.call(method, path, { token: member.token, ...(json === undefined ? {} : { json }) });

const named = (name: string, blob: Blob = photo()): File =>
  new File([blob], name, { type: blob.type });

async function send(body: FormData, { harness, member } = stage) {
  const answer = await harness.call("POST", "/media", { token: member.token, body });
  await harness.settle();
  return answer;
}

const add = async (fields: Fields = {}, name = "beach.png", of = stage) => {
  const body = form(fields);
  if (!("url" in fields) && !("file" in fields)) body.append("file", named(name));
  const answer = await send(body, of);
  expect(answer.body).toMatchObject({ success: true });
  return answer.body.data;
};

const list = async (query = "") => (await call("GET", `/media${query}`)).body;

const objects = async () =>
  (await env.MEDIA.list({ prefix: `media/${stage.member.teamId}/` })).objects.length;

/** The tick that looks for files to remove, this long from now. */
async function laterTick(hours: number): Promise<void> {
  const at = new Date(Date.now() + hours * HOUR);
  at.setUTCMinutes(17, 0, 0);
  vi.setSystemTime(at);
  await stage.harness.tick();
  await stage.harness.settle();
}

describe("a file of the library", () => {
  test("is stored with its name, listed, read, renamed and removed", async () => {
    const file = await add();
    expect(file).toMatchObject({
      mediaId: expect.stringMatching(/^[0-9a-f]{64}$/),
      name: "beach.png",
      kind: "image",
      mime: "image/png",
      kept: false,
      expiresAt: "2026-12-02T09:00:00.000Z",
      posts: 0,
    });
    const answer = await list();
    expect(answer.data).toEqual([file]);
    expect(answer.pagination).toEqual({ total: 1, page: 1, limit: 100, totalPages: 1 });
    const shown = await stage.harness.request(
      new URL(file.url).pathname + new URL(file.url).search,
    );
    expect(shown.headers.get("content-type")).toBe("image/png");

    const path = `/media/${file.mediaId}`;
    const renamed = await call("PATCH", path, { name: "  Sommer\u202e im Hof.png " });
    expect(renamed.body.data).toMatchObject({ ...file, name: "Sommer im Hof.png" });
    expect((await call("GET", path)).body.data).toMatchObject({
      name: "Sommer im Hof.png",
      usedBy: [],
      poolItems: [],
    });
    expect((await call("DELETE", path)).body).toMatchObject({ success: true });
    expect((await call("GET", path)).status).toBe(404);
    expect((await list()).data).toEqual([]);
    expect(await objects()).toBe(0);
  });

  test("is the same file when the same content comes again, and a name that is sent wins", async () => {
    const blob = photo();
    const first = await add({}, "a.png");
    const one = await send(form({ file: blob, name: "first" }));
    const two = await send(form({ file: blob }));
    const three = await send(form({ file: blob, name: "third", keep: "true" }));
    expect(two.body.data).toEqual(one.body.data);
    expect(three.body.data).toEqual({
      ...one.body.data,
      name: "third",
      kept: true,
      expiresAt: null,
    });
    expect((await list()).data.map(({ name }: { name: string }) => name).sort()).toEqual(
      [first.name, "third"].sort(),
    );
    expect(await objects()).toBe(2);
  });

  test("has the name of its presigned upload", async () => {
    const { harness, member } = stage;
    const bytes = new Uint8Array(await photo().arrayBuffer());
    const { bucketUrl } = await uploadPresigned(harness, member.token, {
      route: "photos",
      type: "image/png",
      bytes,
      name: "from storage.png",
    });
    const file = await add({ url: bucketUrl });
    expect(file).toMatchObject({ name: "from storage.png", sizeBytes: bytes.length });
    expect((await add({ url: bucketUrl, name: "mine" })).name).toBe("mine");
    await laterTick(24 * 8);
    expect((await send(form({ url: bucketUrl }))).body).toMatchObject({
      errors: [{ field: "url", message: expect.stringContaining("no uploaded file") }],
    });
  });

  test("came with a post: it has the name of the form's file, and names its posts", async () => {
    const { accountId, harness, member } = stage;
    const body = form({ accountId, description: "Words", status: "draft" });
    body.append("photo", named("of the post.png"));
    const made = await harness.call("POST", "/upload", { token: member.token, body });
    const { uploadId } = made.body.data;
    const [file] = (await list()).data;
    expect(file).toMatchObject({ name: "of the post.png", posts: 1, expiresAt: null });
    const { data } = (await call("GET", `/media/${file.mediaId}`)).body;
    expect(data.usedBy).toEqual([
      { uploadId, platform: "bluesky", accountId, status: "draft", scheduledFor: null },
    ]);
    const refused = await call("DELETE", `/media/${file.mediaId}`);
    expect(refused).toMatchObject({ status: 409, body: { code: "MEDIA_IN_USE" } });
    expect(refused.body.error).toContain(`post ${uploadId}`);
    expect(refused.body.usedBy).toEqual(data.usedBy);
    await call("DELETE", `/upload/${uploadId}`);
    expect((await call("DELETE", `/media/${file.mediaId}`)).status).toBe(200);
  });

  test("is found by name in any script, by kind, and by whether it is kept", async () => {
    await add({}, "Ärger am Meer.png");
    await add({ keep: "true" }, "beach.png");
    await send(form({ file: mp4(), name: "Beach film" }));
    const names = async (query: string) =>
      (await list(query)).data.map(({ name }: { name: string }) => name).sort();
    expect(await names("?search=BEACH")).toEqual(["Beach film", "beach.png"]);
    expect(await names(`?search=${encodeURIComponent("ärger")}`)).toEqual(["Ärger am Meer.png"]);
    expect(await names("?kind=video")).toEqual(["Beach film"]);
    expect(await names("?kept=true")).toEqual(["beach.png"]);
    expect(await names("?kept=false")).toEqual(["Beach film", "Ärger am Meer.png"]);
    expect(await names("?search=%25")).toEqual([]);
    expect((await list("?limit=2&page=2")).pagination).toMatchObject({ total: 3, totalPages: 2 });
    expect((await list("?limit=2&page=2")).data).toHaveLength(1);
  });

  test("of another team is not found", async () => {
    const { mediaId } = await add();
    const other = await createMember();
    const as = { ...stage, member: other };
    for (const [method, json] of [["GET"], ["PATCH", { keep: true }], ["DELETE"]] as const) {
      expect((await call(method, `/media/${mediaId}`, json, as)).status).toBe(404);
    }
    expect((await call("GET", "/media", undefined, as)).body.data).toEqual([]);
    expect((await call("GET", "/media/nothing")).status).toBe(404);
  });

  test("is read in one round trip", async () => {
    const { mediaId } = await add();
    for (const path of ["/media", `/media/${mediaId}`]) {
      const { costs } = await measure(stage.harness, () => call("GET", path));
      expect(costs.roundTrips).toHaveLength(1);
    }
  });
});

describe("at night", () => {
  test("a file without posts goes after as long as those of published posts", async () => {
    await add();
    await laterTick(23);
    expect((await list()).data).toHaveLength(1);
    await laterTick(2);
    expect((await list()).data).toEqual([]);
    expect(await objects()).toBe(0);
  });

  test("a kept file stays with its posts, until keep is taken off", async () => {
    const { mediaId } = await add({ keep: "true" });
    const id = await stage.post({ mediaId });
    await stage.harness.drain();
    expect(await stage.read(id)).toMatchObject({ status: "completed" });
    await laterTick(24 * 60);
    const path = `/media/${mediaId}`;
    expect((await call("GET", path)).body.data).toMatchObject({
      kept: true,
      posts: 1,
      usedBy: [{ uploadId: id, status: "completed" }],
    });
    const taken = await call("PATCH", path, { keep: false });
    expect(taken.body.data).toMatchObject({ kept: false, expiresAt: expect.any(String) });
    await laterTick(23);
    expect((await call("GET", path)).status).toBe(200);
    await laterTick(2);
    expect((await call("GET", path)).status).toBe(404);
    const { thumbnailUrl } = await stage.read(id);
    expect(thumbnailUrl).toContain("/thumbnail");
  });

  test("a file that a draft needs stays, and tells no date", async () => {
    const { mediaId } = await add();
    await stage.post({ mediaId, status: "draft" });
    await laterTick(24 * 30);
    expect((await list()).data).toMatchObject([{ mediaId, expiresAt: null }]);
  });
});

describe("keeping", () => {
  const small = () => {
    const { plans } = DEFAULT_PLANS;
    const owner = { ...plans.owner, keptBytes: 250 };
    return harnessWith({ plans: { ...DEFAULT_PLANS, plans: { ...plans, owner } } });
  };

  test("counts against the plan, and says the figures", async () => {
    stage = await openAccount("bluesky", undefined, small());
    const [one, two, three] = [await add({ keep: "true" }), await add(), await add()];
    expect((await call("PATCH", `/media/${two.mediaId}`, { keep: true })).status).toBe(200);
    const refused = await call("PATCH", `/media/${three.mediaId}`, { keep: true });
    expect(refused).toMatchObject({ status: 409, body: { code: "PLAN_LIMIT" } });
    expect(refused.body.error).toMatch(/has 1\d\d B, and the team keeps 2\d\d B of the 250 B/);
    const again = await send(form({ file: photo(), keep: "true" }));
    expect(again).toMatchObject({ status: 409, body: { code: "PLAN_LIMIT" } });
    const { data, kept } = await list();
    expect(data).toHaveLength(3);
    expect(kept).toEqual({ used: one.sizeBytes + two.sizeBytes, allowance: 250 });
    expect(await objects()).toBe(3);
    await call("DELETE", `/media/${one.mediaId}`);
    expect((await call("PATCH", `/media/${three.mediaId}`, { keep: true })).status).toBe(200);
  });

  test("the last place goes to one of two calls at once", async () => {
    stage = await openAccount("bluesky", undefined, small());
    await add({ keep: "true" });
    const files = [await add(), await add()];
    const answers = await Promise.all(
      files.map(({ mediaId }) => call("PATCH", `/media/${mediaId}`, { keep: true })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

test("a file that is removed while a post is made of it: the post has its file, or is refused", async () => {
  const outcomes = new Set<string>();
  for (let i = 0; i < 6; i++) {
    const { mediaId } = await add();
    const [made, removed] = await Promise.all([
      stage.send({ mediaId, status: "draft" }),
      call("DELETE", `/media/${mediaId}`),
    ]);
    await stage.harness.settle();
    const isThere = (await call("GET", `/media/${mediaId}`)).status === 200;
    const statuses = [made.status, removed.status];
    expect([
      [200, 409],
      [400, 200],
    ]).toContainEqual(statuses);
    expect(isThere).toBe(made.status === 200);
    outcomes.add(statuses.join());
  }
  expect(outcomes.size).toBeGreaterThan(0);
});

describe("an item of a pool", () => {
  const pool = async () => {
    const { body } = await call("POST", "/pools", { name: "Queue", timezone: "UTC" });
    return body.data?.id ?? body.id ?? body.pool.id;
  };

  test("takes files by mediaId, which stay until it is removed", async () => {
    const id = await pool();
    const { mediaId } = await add();
    const { harness, member } = stage;
    const film = (await send(form({ file: mp4() }))).body.data.mediaId;
    const item = (fields: Fields) =>
      harness.call("POST", `/pools/${id}/videos`, {
        token: member.token,
        body: form({ title: "T", ...fields }),
      });
    const made = await item({ mediaId: [mediaId, mediaId] });
    expect(made.body).toMatchObject({ added: 1 });
    const [{ id: itemId }] = made.body.items;
    expect((await item({ mediaId: film })).body).toMatchObject({ added: 1 });
    expect((await item({ mediaId: [film, mediaId] })).body.error).toMatch(/not both/);
    expect((await item({ mediaId: "f".repeat(64) })).body.error).toMatch(/no longer stored/);
    const many = (items: object[]) => call("POST", `/pools/${id}/videos/bulk`, { items });
    expect((await many([{ title: "A", mediaId: film }])).body).toMatchObject({ added: 1 });
    expect((await many([{ title: "A" }])).body.errors).toMatchObject([
      { field: "items.0.videoUrl" },
    ]);
    expect((await call("GET", `/media/${mediaId}`)).body.data).toMatchObject({
      expiresAt: null,
      poolItems: [{ itemId, poolId: id, title: "T" }],
    });
    const refused = await call("DELETE", `/media/${mediaId}`);
    expect(refused.body).toMatchObject({ code: "MEDIA_IN_USE", poolItems: [{ itemId }] });
    await laterTick(24 * 3);
    expect((await list("?kind=image")).data).toHaveLength(1);
    await call("DELETE", `/pools/${id}/videos/${itemId}`);
    expect((await call("DELETE", `/media/${mediaId}`)).status).toBe(200);
  });
});

describe("bad input", () => {
  const text = () => new File(["Not a picture"], "picture.png", { type: "image/png" });

  test.each<[string, () => FormData, number, RegExp]>([
    ["a text named .png", () => form({ file: text() }), 400, /not an image, video or document/],
    ["an empty file", () => form({ file: new Blob([]) }), 400, /empty/],
    ["a torn picture", () => form({ file: new Blob([testPng.slice(0, 60)]) }), 400, /damaged/],
    ["no file", () => form({ name: "Nothing" }), 400, /send a file/],
    ["two files", () => form({ file: [photo(), photo()] }), 400, /one file in each call/],
    ["a foreign address", () => form({ url: "https://example.com/a.png" }), 400, /bucketUrl/],
    ["an inner address", () => form({ url: "http://10.0.0.1/a.png" }), 400, /bucketUrl/],
    [
      "a name of 10,000 characters",
      () => form({ file: photo(), name: "n".repeat(10_000) }),
      400,
      /at most 255/,
    ],
    ["an invisible name", () => form({ file: photo(), name: "\u200b" }), 400, /visible character/],
    ["a name of nothing", () => form({ file: photo(), name: "\u0007" }), 400, /visible character/],
    ["keep as a word", () => form({ file: photo(), keep: "maybe" }), 400, /^keep: /],
  ])("%s is refused, and nothing stays", async (_, body, status, message) => {
    const answer = await send(body());
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatch(message);
    expect((await list()).data).toEqual([]);
    expect(await objects()).toBe(0);
  });

  test("a file name of 10,000 characters is cut", async () => {
    const file = await add({}, `${"x".repeat(10_000)}.png`);
    expect(file.name).toBe("x".repeat(255));
  });

  test.each([
    ["a name of 10,000 characters", { name: "n".repeat(10_000) }],
    ["an unknown field", { colour: "red" }],
    ["keep as a word", { keep: "yes" }],
  ])("a change with %s is refused", async (_, json) => {
    const { mediaId } = await add();
    expect((await call("PATCH", `/media/${mediaId}`, json)).status).toBe(400);
  });
});
