import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { Fields } from "../../support/harness.ts";
import { PoolTeam } from "../../support/pools.ts";
import { uploadPresigned } from "../../support/presigned.ts";
import { mp4, photo } from "../../support/stage.ts";
import { testPng } from "../../support/videos.ts";

const fieldsOf = (errors: { field: string }[]) => errors.map(({ field }) => field);

const stored = async ({ member }: PoolTeam) => {
  const { objects } = await env.MEDIA.list({ prefix: `media/${member.teamId}/` });
  return objects.length;
};

describe("an item", () => {
  test("is added as a video or a carousel, listed in order, and removed", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    const metadata = '{"privacy_level":"SELF_ONLY","disable_comment":true,"is_aigc":false}';
    const first = await team.add(id, { video: mp4(), description: "Look", metadata });
    const item = { id: expect.any(Number), position: 1, status: "queued", title: "A tip" };
    expect(first.body).toEqual({ success: true, added: 1, items: [item] });
    const second = await team.add(id, { photo: [photo(100), "https://example.com/b.jpg"] });
    expect(second.body.items).toMatchObject([{ position: 2 }]);
    expect(await team.items(id)).toEqual([
      {
        ...{ ...item, description: "Look", createdAt: "2026-12-01T09:00:00.000Z" },
        ...{ isLocked: false, reason: null },
      },
      expect.objectContaining({ position: 2, description: null }),
    ]);
    expect((await team.send("GET", `/pools/${id}`)).pool._count.items).toBe(2);
    const path = `/pools/${id}/videos/${first.body.items[0].id}`;
    expect(await team.send("DELETE", path)).toEqual({ success: true });
    expect((await team.call("DELETE", path)).body.code).toBe("NOT_FOUND");
    expect(await team.send("DELETE", `/pools/${id}/videos`)).toEqual({ success: true, removed: 1 });
    expect(await team.items(id)).toEqual([]);
    expect((await team.add(id, { photo: photo() })).body.items).toMatchObject([{ position: 3 }]);
  });

  test.each([
    ["both video and photo", { video: mp4(), photo: photo() }, ["video"]],
    ["neither video nor photo", {}, ["video"]],
    ["no title", { title: " ", photo: photo() }, ["title"]],
    ["two videos", { video: [mp4(), mp4()] }, ["video"]],
    ["a photo for a video", { video: photo() }, ["video"]],
    ["a text for a photo", { photo: new Blob(["Hello"]) }, ["photo"]],
    ["no URL", { video: "ftp://example.com/a.mp4" }, ["video"]],
    ["metadata that is no JSON", { photo: photo(), metadata: "{privacy" }, ["metadata"]],
    ["metadata that is no object", { photo: photo(), metadata: "[1]" }, ["metadata"]],
    [
      "marks alone",
      { photo: photo(), metadata: '{"thread_marks":true}' },
      ["metadata.thread_marks"],
    ],
    ["marks as a field alone", { photo: photo(), thread_marks: "true" }, ["thread_marks"]],
    ["an empty part", { photo: photo(), thread: '["Two"," "]' }, ["thread"]],
    [
      "an empty part in metadata",
      { photo: photo(), metadata: '{"thread":[""]}' },
      ["metadata.thread"],
    ],
    ["a thread that is no list", { photo: photo(), thread: "Two" }, ["thread"]],
    ["a long comment", { photo: photo(), first_comment: "x".repeat(301) }, ["first_comment"]],
    ["an unknown option", { photo: photo(), metadata: '{"color":"red"}' }, ["metadata.color"]],
    [
      "a wrong value",
      { photo: photo(), metadata: '{"privacy_level":"ALL"}' },
      ["metadata.privacy_level"],
    ],
    [
      "an option beside metadata",
      { photo: photo(), privacy_level: "SELF_ONLY" },
      ["privacy_level"],
    ],
  ])("with %s is 400 VALIDATION with errors[], and nothing is kept", async (_, fields, refused) => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    const { status, body } = await team.add(id, fields);
    expect([status, body.code, fieldsOf(body.errors)]).toEqual([400, "VALIDATION", refused]);
    await team.harness.settle();
    expect(await team.items(id)).toEqual([]);
    expect(await stored(team)).toBe(0);
  });

  test("is not added to another team's pool, and no byte of it is stored", async () => {
    const [team, other] = [await PoolTeam.make(), await PoolTeam.make()];
    const { id } = await other.pool();
    const { status, body } = await team.add(id, { photo: photo() });
    expect([status, body.code]).toEqual([403, "FORBIDDEN"]);
    expect((await team.add("999999", { photo: photo() })).body.code).toBe("NOT_FOUND");
    expect((await team.call("GET", `/pools/${id}/videos`)).body.code).toBe("FORBIDDEN");
    expect((await team.call("DELETE", `/pools/${id}/videos`)).body.code).toBe("FORBIDDEN");
    await team.harness.settle();
    expect([await stored(team), await stored(other)]).toEqual([0, 0]);
    expect(await other.items(id)).toEqual([]);
  });

  test("is added once by calls with the same Idempotency-Key, however many at once", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    const key = { "idempotency-key": "tip-1" };
    const picture = photo();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => team.add(id, { photo: picture }, key)),
    );
    expect([...new Set(answers.map(({ body }) => JSON.stringify(body)))]).toHaveLength(1);
    expect(answers[0]?.body).toMatchObject({ added: 1 });
    expect(await team.items(id)).toHaveLength(1);
    await team.harness.settle();
    expect(await stored(team)).toBe(1);
    const other = await team.add(id, { title: "Another", photo: picture }, key);
    expect([other.status, other.body.code]).toEqual([422, "IDEMPOTENCY_MISMATCH"]);
    await team.send("DELETE", `/pools/${id}/videos`);
    const again = await team.add(id, { photo: picture }, key);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body).toEqual(answers[0]?.body);
  });

  test("keeps its file for as long as it waits, and a day after it was published", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool({ slots: [team.slot({ days: [4] })] });
    const bytes = testPng;
    await team.add(id, { photo: new Blob([bytes]) });
    await team.runUntil("2026-12-01T09:20:00Z");
    for (let day = 2; day <= 3; day++) {
      team.moveTo(`2026-12-0${day}T09:16:00Z`);
      await team.runUntil(`2026-12-0${day}T09:20:00Z`);
    }
    expect(await stored(team)).toBe(1);
    team.moveTo("2026-12-03T09:29:00Z");
    await team.runUntil("2026-12-03T09:31:00Z");
    expect(await team.items(id)).toMatchObject([{ status: "dispatched" }]);
    const uses = await env.DB.prepare("SELECT COUNT(*) AS n FROM pool_files WHERE team_id = ?")
      .bind(team.member.teamId)
      .first("n");
    expect(uses).toBe(0);
    for (let minute = 0; minute < 8; minute++) {
      team.moveTo(`2026-12-05T03:2${minute}:00Z`);
      await team.harness.tick();
    }
    expect(await stored(team)).toBe(0);
  });

  test("takes an address of POST /upload/presign, and no other team's", async () => {
    const [team, other] = [await PoolTeam.make(), await PoolTeam.make()];
    const { id } = await team.pool();
    const bytes = Uint8Array.from(testPng);
    const own = await uploadPresigned(team.harness, team.member.token, {
      ...{ route: "photos", type: "image/png", bytes },
    });
    const { id: theirs } = await other.pool();
    const refused = await other.add(theirs, { photo: own.bucketUrl });
    expect([refused.status, fieldsOf(refused.body.errors)]).toEqual([400, ["photo"]]);
    expect((await team.add(id, { photo: own.bucketUrl })).status).toBe(200);
    await team.runUntil("2026-12-01T09:31:00Z");
    expect(await team.items(id)).toMatchObject([{ status: "dispatched", reason: null }]);
  });
});

describe("items by the fifty", () => {
  const video = (i: number) => ({ title: `Video ${i}`, videoUrl: `https://example.com/${i}.mp4` });
  const many = (count: number) => Array.from({ length: count }, (_, i) => video(i));

  test("are added in the order of the call", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    const body = await team.send("POST", `/pools/${id}/videos/bulk`, { items: many(50) });
    expect(body.added).toBe(50);
    expect(
      body.items.map(
        ({ position, title }: { position: number; title: string }) => `${position} ${title}`,
      ),
    ).toEqual(many(50).map(({ title }, i) => `${i + 1} ${title}`));
    const capacity = await team.send("GET", `/pools/${id}/capacity?count=6`);
    expect(capacity).toEqual({
      ...{ success: true, queued: 50, slotsPerDay: 1, daysOfContent: 50 },
      ...{ afterAdd: { queued: 56, daysOfContent: 56 }, warning: null },
    });
    const page = await team.send("GET", `/pools/${id}/videos?limit=20`);
    const next = await team.send("GET", `/pools/${id}/videos?limit=20&after=${page.nextAfter}`);
    expect(next.items[0].position).toBe(21);
    const preview = await team.send("GET", `/pools/${id}/preview?days=2`);
    expect(preview.firings).toMatchObject([
      { at: "2026-12-01T09:30:00.000Z", item: { title: "Video 0" } },
      { at: "2026-12-02T09:30:00.000Z", item: { title: "Video 1" } },
    ]);
  });

  test.each([
    ["51 items", many(51), ["items"]],
    ["none", [], ["items"]],
    ["no title", [video(0), { ...video(1), title: "" }], ["items.1.title"]],
    ["no URL", [{ title: "A" }], ["items.0.videoUrl"]],
    [
      "a private URL",
      [video(0), { title: "A", videoUrl: "http://10.0.0.1/a.mp4" }],
      ["items.1.videoUrl"],
    ],
    ["wrong metadata", [{ ...video(0), metadata: "no" }], ["items.0.metadata"]],
    ["an object for metadata", [{ ...video(0), metadata: {} }], ["items.0.metadata"]],
  ])("with %s are VALIDATION with errors[], and none is added", async (_, items, refused) => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    const { status, body } = await team.call("POST", `/pools/${id}/videos/bulk`, { items });
    expect([status, body.code, fieldsOf(body.errors)]).toEqual([400, "VALIDATION", refused]);
    expect(await team.items(id)).toEqual([]);
  });

  test("fill a pool up to a thousand, and no further, also at the same time", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    await team.fill(
      id,
      Array.from({ length: 925 }, (_, i) => `Item ${i}`),
    );
    const add = () => team.call("POST", `/pools/${id}/videos/bulk`, { items: many(50) });
    const answers = await Promise.all([add(), add()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe("QUEUE_FULL");
  });
});

test("a preview shows the wall time, the offset and the rule of each firing over a change of the clocks", async () => {
  const team = await PoolTeam.make();
  team.moveTo("2027-03-27T12:00:00Z");
  const { id } = await team.pool({
    timezone: "Europe/Paris",
    slots: [team.slot({ time: "02:30" })],
  });
  const { firings } = await team.send("GET", `/pools/${id}/preview?days=3`);
  expect(
    firings.map(({ at, wallTime, offset, rule }: Record<string, string>) => [
      at,
      wallTime,
      offset,
      rule,
    ]),
  ).toEqual([
    ["2027-03-28T01:00:00.000Z", "2027-03-28T03:00", "+02:00", "skipped_hour"],
    ["2027-03-29T00:30:00.000Z", "2027-03-29T02:30", "+02:00", null],
    ["2027-03-30T00:30:00.000Z", "2027-03-30T02:30", "+02:00", null],
  ]);
  expect((await team.call("GET", `/pools/${id}/preview?days=367`)).body.code).toBe("VALIDATION");
  team.moveTo("2027-03-28T00:59:00Z");
  await team.runUntil("2027-03-28T01:01:00Z");
  expect(
    (await team.firings(id)).map(({ at, rule }: Record<string, string>) => [at, rule]),
  ).toEqual([["2027-03-28T01:00:00.000Z", "skipped_hour"]]);
}, 120_000);

describe("what follows the post of an item", () => {
  const thread = '["Two",{"text":"Three","media":[1]}]';

  test.each<[string, Fields]>([
    ["as fields", { thread, thread_marks: "true", first_comment: "Hi" }],
    ["in metadata", { metadata: `{"thread":${thread},"thread_marks":true,"first_comment":"Hi"}` }],
  ])("is published: %s", async (_, fields) => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    const { status, body } = await team.add(id, {
      ...{ title: "One", photo: [photo(), photo(40)] },
      ...fields,
    });
    expect(status, JSON.stringify(body)).toBe(200);
    await team.runUntil("2026-12-01T09:31:00Z");
    const [firing] = await team.firings(id);
    const { data } = await team.send("GET", `/upload/${firing.uploadIds[0]}`);
    expect(data).toMatchObject({ status: "completed", title: "One 1/3" });
    expect(data.parts.map((part: { text: string }) => part.text)).toEqual([
      "Two 2/3",
      "Three 3/3",
      "Hi",
    ]);
  });

  test("is named by the position of the part that its platform refuses, also by URL and in an edit", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    const long = "x".repeat(301);
    const expected = {
      status: 400,
      body: {
        code: "VALIDATION",
        errors: [{ message: expect.stringMatching(/Part 2: .*Bluesky takes 300 characters/) }],
      },
    };
    const sent = { thread: ["Two", long] };
    expect(
      await team.add(id, { photo: photo(), thread: JSON.stringify(sent.thread) }),
    ).toMatchObject(expected);
    expect(await team.add(id, { photo: photo(), metadata: JSON.stringify(sent) })).toMatchObject(
      expected,
    );
    const item = { title: "Tip", videoUrl: "https://example.com/a.mp4" };
    const bulk = (fields: object) =>
      team.call("POST", `/pools/${id}/videos/bulk`, { items: [{ ...item, ...fields }] });
    expect(await bulk(sent)).toMatchObject(expected);
    const { body } = await bulk({ thread: ["Two"], first_comment: "Hi" });
    const path = `/pools/${id}/videos/${body.items[0].id}`;
    expect(await team.call("PATCH", path, sent)).toMatchObject(expected);
    await team.send("PATCH", path, { thread: ["Deux"], first_comment: null });
    const row = await env.DB.prepare("SELECT settings FROM pool_items WHERE id = ?")
      .bind(body.items[0].id)
      .first<{ settings: string }>();
    expect(JSON.parse(row?.settings ?? "")).toMatchObject({
      thread: '["Deux"]',
      first_comment: "",
    });
  });

  test("is judged for its form while the pool has no slots", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool({ slots: [] });
    const { status, body } = await team.add(id, { photo: photo(), thread: '["Two",""]' });
    expect([status, body.errors?.length]).toEqual([400, 1]);
    expect(body.errors[0].message).toMatch(/^Part 2: it is empty/);
    expect((await team.add(id, { photo: photo(), thread: '["Two"]' })).status).toBe(200);
  });
});
