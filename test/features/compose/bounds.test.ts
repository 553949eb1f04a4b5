import { beforeEach, describe, expect, test } from "vitest";
import type { Platform } from "../../../src/core/platforms.ts";
import { type Fields, form, Harness } from "../../support/harness.ts";
import { beginLife, type Columns, type Life } from "../../support/life.ts";
import { measure } from "../../support/meter.ts";
import { testJpeg } from "../../support/videos.ts";

const of = (count: number, character = "x") => character.repeat(count);
const jpeg = () => new Blob([testJpeg], { type: "image/jpeg" });

interface Refused {
  field: string;
  message: string;
}

async function onStage(platform: Platform) {
  const life = await beginLife(new Harness(), platform);
  const { accountId, harness, member, call } = life;
  const send = (path: string, fields: Fields) =>
    harness.call("POST", path, { token: member.token, body: form(fields) });
  const batch = (fields: Fields) => ({ accounts: JSON.stringify([accountId]), ...fields });
  return {
    post: (fields: Fields) => send("/upload", { accountId, ...fields }),
    bulk: (fields: Fields) => send("/upload/bulk", batch(fields)),
    validate: (fields: Fields) => send("/upload/validate", batch(fields)),
    patch: async (json: object) => {
      const id = await life.insert({ status: "draft" });
      return call("PATCH", `/upload/${id}`, json);
    },
  };
}

/** Platform, what each field is sent with, the field that is named, and its bound in words. */
const TOO_LONG: [string, Platform, Fields, string, string][] = [
  [
    "a title that is used nowhere",
    "bluesky",
    { description: "Text", title: of(30_001) },
    "title",
    "30,000",
  ],
  [
    "a title of emoji",
    "bluesky",
    { description: "Text", title: of(30_001, "🎉") },
    "title",
    "30,000",
  ],
  [
    "a description that is used nowhere",
    "threads",
    { title: "Text", description: of(70_001) },
    "description",
    "70,000",
  ],
  [
    "a setting",
    "instagram",
    { photo: jpeg(), title: "Text", audio_name: of(10_001) },
    "audio_name",
    "10,000",
  ],
  [
    "a setting in many values",
    "instagram",
    { photo: jpeg(), title: "Text", collaborators: [of(6_000), of(6_000)] },
    "collaborators",
    "10,000",
  ],
  [
    "a setting of another platform",
    "bluesky",
    { description: "Text", location_id: of(10_001) },
    "location_id",
    "10,000",
  ],
  [
    "an address of a file",
    "bluesky",
    { description: "Text", photo: `https://example.com/${of(4_096)}` },
    "photo",
    "4,096",
  ],
];

describe("too long to be stored", () => {
  test.each(TOO_LONG)("%s: POST names it (400)", async (_, platform, fields, field, bound) => {
    const { post } = await onStage(platform);
    const { status, body } = await post(fields);
    expect(status).toBe(400);
    const named = body.errors.filter((error: Refused) => error.field === field);
    expect(JSON.stringify(named)).toContain(bound);
  });

  test.each(TOO_LONG)(
    "%s: bulk and validate name it",
    async (_, platform, fields, field, bound) => {
      if (field === "photo") return;
      const { bulk, validate } = await onStage(platform);
      const answer = await bulk(fields);
      expect(answer.status).toBe(400);
      expect(JSON.stringify(answer.body.errors)).toContain(bound);
      const { valid, errors } = (await validate(fields)).body;
      expect([valid, JSON.stringify(errors)]).toEqual([false, expect.stringContaining(bound)]);
    },
  );

  test.each<[string, object]>([
    ["caption", { caption: of(70_001) }],
    ["title", { title: of(30_001) }],
    ["thumbnail_url", { thumbnail_url: `https://example.com/${of(4_096)}` }],
  ])("an override's %s: its account is told", async (_, override) => {
    const { bulk } = await onStage("bluesky");
    const overrides = JSON.stringify({ bluesky: override });
    const { results } = (await bulk({ description: "Text", overrides })).body;
    expect(results).toMatchObject([
      { success: false, error: expect.stringMatching(/0[0,]00|4,096/) },
    ]);
  });

  test.each<[string, object, string]>([
    ["title", { title: of(30_001) }, "30,000"],
    ["title of 980 KB", { title: of(980_000) }, "30,000"],
    ["description", { description: of(70_001) }, "70,000"],
  ])("PATCH refuses a %s (400)", async (_, json, bound) => {
    const { patch } = await onStage("threads");
    const { status, body } = await patch({ title: "Text", ...json });
    expect([status, JSON.stringify(body.errors)]).toEqual([400, expect.stringContaining(bound)]);
  });

  test("many settings together (400)", async () => {
    const { post } = await onStage("bluesky");
    const many = Object.fromEntries(
      Array.from({ length: 11 }, (_, i) => [`unknown_${i}`, of(9_500)]),
    );
    const { status, body } = await post({ description: "Text", ...many });
    expect([status, body.error]).toEqual([400, expect.stringContaining("100,000")]);
  });
});

test.each<[string, Platform, Fields]>([
  ["a title", "bluesky", { description: "Text", title: of(30_000) }],
  ["a title of emoji", "bluesky", { description: "Text", title: of(30_000, "🎉") }],
  ["a description", "threads", { title: "Text", description: of(70_000) }],
  ["a setting", "bluesky", { description: "Text", location_id: of(10_000) }],
])("%s of just the longest is taken, by POST, bulk and validate", async (_, platform, fields) => {
  const { post, bulk, validate } = await onStage(platform);
  const status = "draft";
  expect((await post({ ...fields, status })).status).toBe(200);
  expect((await bulk({ ...fields, status })).body.success).toBe(true);
  expect((await validate({ ...fields, status })).body.valid).toBe(true);
});

describe("a page that would be larger than 8 MB", () => {
  let life: Life;
  beforeEach(async () => {
    life = await beginLife(undefined, "facebook");
  });
  const list = (query: string) => life.call("GET", `/upload?${query}`);
  const fill = (count: number, columns: Columns) =>
    life.insertMany(
      Array.from({ length: count }, (_, i) => ({
        status: "draft",
        created_at: Date.now() - i,
        sort_at: Date.now() - i,
        ...columns,
      })),
    );
  /** The limit and page that a refusal names. */
  const advice = (error: string, name = "limit") => {
    const [, limit, page] = new RegExp(`${name}=(\\d+) and page=(\\d+)`).exec(error) ?? [];
    return { limit: Number(limit), page: Number(page) };
  };

  test.each<[string, string, number]>([
    ["ASCII", "x", 62_000],
    ["three bytes a character", "語", 62_000],
    ["line breaks, which JSON writes as two", "\n", 62_000],
    ["control characters, which JSON writes as six", "\u0001", 20_000],
  ])("of texts in %s is refused with a limit that fits (400)", async (_, character, length) => {
    const ids = await fill(150, { title: null, description: of(length, character) });
    const { status, body } = await list("limit=150");
    expect([status, body.errors[0].field]).toEqual([400, "limit"]);
    const { limit, page } = advice(body.error);
    expect([page, limit]).toEqual([1, expect.any(Number)]);
    const fitting = await list(`limit=${limit}`);
    expect(fitting.status).toBe(200);
    expect(fitting.body.data.map(({ id }: { id: number }) => id)).toEqual(ids.slice(0, limit));
    expect(JSON.stringify(fitting.body).length).toBeLessThanOrEqual(8_000_000);
    // One more would not have fitted, but for what a post is reckoned with apart from its texts.
    expect((await list(`limit=${limit + 10}`)).status).toBe(400);
  });

  test("the advice begins at the same post, so that none is skipped", async () => {
    const ids = await fill(300, { title: null, description: of(62_000) });
    const read: number[] = [];
    const pages = ["limit=100&page=1", "limit=100&page=2"];
    for (const query of pages) {
      const { body } = await list(query);
      read.push(...body.data.map(({ id }: { id: number }) => id));
    }
    const third = await list("limit=150&page=2");
    expect(third.status).toBe(400);
    const { limit, page } = advice(third.body.error);
    expect((page - 1) * limit).toBe(150);
    const found = await list(`limit=${limit}&page=${page}`);
    expect(found.body.data[0].id).toBe(ids[150]);
    expect(read).toEqual(ids.slice(0, 200));
  });

  test("is told by its size alone: the texts are not read", async () => {
    await fill(300, { title: null, description: of(62_000) });
    let bytes = 0;
    const { costs, result } = await measure(life.harness, async () => {
      const answer = await list("limit=300");
      bytes = JSON.stringify(answer.body).length;
      return answer;
    });
    expect(result.status).toBe(400);
    expect(bytes).toBeLessThan(1_000);
    expect(costs.roundTrips).toHaveLength(1);
  });

  test("a few long texts on a long page are read in a second round trip", async () => {
    await fill(400, { title: null, description: "Short" });
    await fill(20, { title: null, description: of(62_000), status: "failed" });
    const { costs, result } = await measure(life.harness, () => list("limit=1000"));
    expect(result.status).toBe(200);
    expect(costs.roundTrips).toHaveLength(2);
    const lengths = result.body.data.map(
      ({ description }: { description: string }) => description.length,
    );
    expect(lengths.filter((length: number) => length === 62_000)).toHaveLength(20);
    expect(lengths.filter((length: number) => length === 5)).toHaveLength(400);
  });

  test("in the older form, names perPage", async () => {
    const ids = await fill(100, { title: of(29_000, "語") });
    const { status, body } = await life.call("GET", "/posts?perPage=100");
    expect([status, body.errors[0].field]).toEqual([400, "perPage"]);
    const { limit } = advice(body.error, "perPage");
    const fitting = await life.call("GET", `/posts?perPage=${limit}`);
    expect(fitting.status).toBe(200);
    expect(fitting.body.data.map(({ id }: { id: number }) => id)).toEqual(ids.slice(0, limit));
    expect(fitting.body.data[0].title).toHaveLength(29_000);
  });
});
