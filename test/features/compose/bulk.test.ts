import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createMember, type Fields, form, Harness, START } from "../../support/harness.ts";
import { loadOf } from "../../support/load.ts";
import { measure } from "../../support/meter.ts";
import { testJpeg, verticalMp4 } from "../../support/videos.ts";

const photo = (i = 0) => new Blob([testJpeg, String(i)], { type: "image/jpeg" });
/** Above the least that LinkedIn takes. */
const film = () => new Blob([verticalMp4, new Uint8Array(80_000)], { type: "video/mp4" });

async function onStage() {
  const harness = new Harness();
  const member = await createMember();
  const { token, teamId } = member;
  const connect = async (platform: string, name = "Ada"): Promise<string> => {
    const answer = await harness.call("POST", "/accounts", {
      token,
      json: { platform, sandbox: true, name: `${name} ${teamId}` },
    });
    return answer.body.data.id;
  };
  const send = (path: string, fields: Fields, headers: Record<string, string> = {}) =>
    harness.call("POST", path, { token, headers, body: form(fields) });
  return {
    harness,
    member,
    connect,
    bulk: (accounts: string[], fields: Fields, headers = {}) =>
      send("/upload/bulk", { accounts: JSON.stringify(accounts), ...fields }, headers),
    send,
    both: async (fields: Fields) => ({
      validated: (await send("/upload/validate", fields)).body,
      created: await send("/upload/bulk", fields),
    }),
    read: async (id: number) => (await harness.call("GET", `/upload/${id}`, { token })).body.data,
    objects: async () => {
      await harness.settle();
      return (await env.MEDIA.list({ prefix: `media/${teamId}/` })).objects.length;
    },
    uploads: async () =>
      (
        await env.DB.prepare("SELECT COUNT(*) AS n FROM uploads WHERE team_id = ?")
          .bind(teamId)
          .first<{ n: number }>()
      )?.n,
  };
}

test("one photo goes to every account, stored once, each with its own result", async () => {
  const stage = await onStage();
  const accounts = [
    await stage.connect("bluesky"),
    await stage.connect("instagram"),
    await stage.connect("threads"),
  ];
  const answer = await stage.bulk(accounts, {
    title: "Hello",
    description: "Hello all",
    photo: photo(),
  });
  expect(answer).toMatchObject({ status: 200, body: { success: true } });
  expect(answer.body.results).toMatchObject(
    accounts.map((accountId) => ({ accountId, success: true, scheduledFor: null })),
  );
  const ids = answer.body.results.map(({ uploadId }: { uploadId: number }) => uploadId);
  expect(new Set(ids).size).toBe(3);
  expect(answer.body.results[0].jobId).toBe(`job_${ids[0]}_1`);
  expect(await stage.objects()).toBe(1);
  await stage.harness.drain(200);
  for (const id of ids) expect(await stage.read(id)).toMatchObject({ status: "completed" });
});

test("one account that cannot have it stops no other", async () => {
  const stage = await onStage();
  const good = await stage.connect("bluesky");
  const needsMedia = await stage.connect("instagram");
  const answer = await stage.bulk([needsMedia, "acc_nobody", good, good], { description: "Words" });
  expect(answer.body.results).toEqual([
    { accountId: needsMedia, success: false, error: expect.stringContaining("without media") },
    { accountId: "acc_nobody", success: false, error: expect.stringContaining("not found") },
    expect.objectContaining({ accountId: good, success: true }),
  ]);
});

test("an account of another team is nobody's", async () => {
  const [ours, theirs] = [await onStage(), await onStage()];
  const foreign = await theirs.connect("bluesky");
  const answer = await ours.bulk([foreign], { description: "Words" });
  expect(answer.body).toMatchObject({
    success: false,
    results: [{ success: false, error: expect.stringContaining("not found") }],
  });
  expect(await theirs.uploads()).toBe(0);
});

test("null in overrides leaves the thread and the comment of a batch out", async () => {
  const stage = await onStage();
  const accounts = [await stage.connect("bluesky"), await stage.connect("facebook")];
  const overrides = JSON.stringify({ facebook: { thread: null, first_comment: null } });
  const fields = { description: "One", thread: '["Two"]', first_comment: "Hi", overrides };
  const { results } = (await stage.bulk(accounts, fields)).body;
  expect(results).toMatchObject([{ success: true }, { success: true }]);
  const [bluesky, facebook] = results;
  expect((await stage.read(bluesky.uploadId)).parts).toHaveLength(2);
  expect((await stage.read(facebook.uploadId)).parts).toBeUndefined();
});

test("overrides: account over platform over shared, field by field", async () => {
  const stage = await onStage();
  const [one, two, three] = [
    await stage.connect("bluesky", "One"),
    await stage.connect("bluesky", "Two"),
    await stage.connect("threads"),
  ];
  const overrides = JSON.stringify({
    bluesky: { caption: "For Bluesky", title: "Label" },
    [two]: { caption: "For Two" },
  });
  const fields = { title: "Shared title", description: "Shared", overrides };
  const answer = await stage.bulk([one, two, three], fields);
  const texts = await Promise.all(
    answer.body.results.map(async ({ uploadId }: { uploadId: number }) => {
      const { title, description } = await stage.read(uploadId);
      return [title, description];
    }),
  );
  expect(texts).toEqual([
    ["Label", "For Bluesky"],
    ["Label", "For Two"],
    ["Shared title", "Shared"],
  ]);
});

test("each account is checked against its own text", async () => {
  const stage = await onStage();
  const [bluesky, linkedin] = [await stage.connect("bluesky"), await stage.connect("linkedin")];
  const long = "word ".repeat(100).trim();
  const answer = await stage.bulk([bluesky, linkedin], { description: long });
  expect(answer.body.results).toMatchObject([{ success: false }, { success: true }]);
  const overrides = JSON.stringify({ bluesky: { caption: "Short" } });
  const mended = await stage.bulk([bluesky, linkedin], { description: `${long}!!`, overrides });
  expect(mended.body.results).toMatchObject([{ success: true }, { success: false }]);
});

test("instagram_as_story makes stories of Instagram's posts alone", async () => {
  const stage = await onStage();
  const [instagram, facebook] = [await stage.connect("instagram"), await stage.connect("facebook")];
  const answer = await stage.bulk([instagram, facebook], {
    description: "Words",
    photo: photo(),
    instagram_as_story: "1",
  });
  await stage.harness.drain(200);
  const feed = await stage.harness.request("/sandbox/api/posts?platform=instagram");
  const { posts } = (await feed.json()) as { posts: { accountId: string; fields: object }[] };
  const story = posts.find(({ accountId }) => accountId === instagram);
  expect(JSON.stringify(story?.fields)).toContain("STORIES");
  expect(answer.body.results).toMatchObject([{ success: true }, { success: true }]);
});

test("a shared media_type counts where the platform knows it", async () => {
  const stage = await onStage();
  const [instagram, facebook, linkedin] = [
    await stage.connect("instagram"),
    await stage.connect("facebook"),
    await stage.connect("linkedin"),
  ];
  const answer = await stage.bulk([instagram, facebook, linkedin], {
    ...{ title: "Film", description: "A film", video: film(), media_type: "REELS" },
  });
  expect(answer.body.results).toMatchObject([
    { success: true },
    { success: true },
    { success: true },
  ]);
});

test("one X account a batch", async () => {
  const stage = await onStage();
  const accounts = [await stage.connect("x", "One"), await stage.connect("x", "Two")];
  const answer = await stage.bulk(accounts, { title: "Words" });
  expect(answer.body.results).toMatchObject([
    { success: true },
    { success: false, error: expect.stringContaining("one X account") },
  ]);
});

test.each<[string, number, number]>([
  ["tiktok", 35, 36],
  ["linkedin", 20, 21],
  ["instagram", 10, 11],
  ["facebook", 10, 11],
  ["threads", 10, 11],
  ["bluesky", 4, 5],
])("%s takes %i files in a batch and not %i", async (platform, max, tooMany) => {
  const stage = await onStage();
  const account = await stage.connect(platform);
  for (const [count, isTaken] of [
    [max, true],
    [tooMany, false],
  ] as const) {
    const photos = Array.from({ length: count }, (_, i) => photo(i));
    const fields = { title: `Photos ${count}`, description: `Photos ${count}`, photo: photos };
    const answer = await stage.bulk([account], fields);
    expect(answer.body.results?.[0], JSON.stringify(answer.body)).toMatchObject({
      success: isTaken,
    });
  }
});

test.each<[string, Fields, string, RegExp]>([
  ["no accounts", {}, "accounts", /JSON array/],
  ["accounts that are no JSON", { accounts: "acc_1,acc_2" }, "accounts", /JSON array/],
  ["an empty list", { accounts: "[]" }, "accounts", /JSON array/],
  ["numbers", { accounts: "[1]" }, "accounts", /JSON array/],
  ["an object", { accounts: '{"a":1}' }, "accounts", /JSON array/],
  [
    "101 accounts",
    { accounts: JSON.stringify(Array.from({ length: 101 }, (_, i) => `a${i}`)) },
    "accounts",
    /1 to 100/,
  ],
  [
    "a video by its URL",
    { accounts: '["a"]', video: "https://example.com/a.mp4" },
    "video",
    /takes no URL/,
  ],
  ["a video and photos", { accounts: '["a"]', video: film(), photo: photo() }, "video", /not both/],
  ["overrides that are no JSON", { accounts: '["a"]', overrides: "{" }, "overrides", /JSON object/],
  ["overrides that are a list", { accounts: '["a"]', overrides: "[]" }, "overrides", /JSON object/],
  [
    "overrides for a typo",
    { accounts: '["a"]', overrides: '{"blusky":{}}' },
    "overrides",
    /"blusky"/,
  ],
  ["overrides for a stranger", { accounts: '["a"]', overrides: '{"b":{}}' }, "overrides", /"b"/],
  [
    "overrides with an unknown field",
    { accounts: '["a"]', overrides: '{"a":{"text":"x"}}' },
    "overrides",
    /caption, title, thumbnail_url and first_comment/,
  ],
  ["a status of no kind", { accounts: '["a"]', status: "now" }, "status", /draft or pending/],
  [
    "a date gone by",
    { accounts: '["a"]', schedule_date: START.toISOString() },
    "schedule_date",
    /future/,
  ],
  ["an unknown field of X", { accounts: '["a"]', x_foo: "1" }, "x_foo", /^x_foo: /],
  [
    "a media_type of no platform",
    { accounts: '["a"]', media_type: "STORY" },
    "media_type",
    /one of .*STORIES/,
  ],
  [
    "a flag that is none",
    { accounts: '["a"]', instagram_as_story: "yes" },
    "instagram_as_story",
    /true or false/,
  ],
  ["an empty file", { accounts: '["a"]', photo: new Blob([]) }, "photo", /empty/],
  ["a file of no kind", { accounts: '["a"]', photo: new Blob(["Hello"]) }, "photo", /not an image/],
])(
  "%s: told of the whole request, by validate and bulk alike, and nothing is left",
  async (_, fields, field, message) => {
    const stage = await onStage();
    const { validated, created } = await stage.both(fields);
    expect(created).toMatchObject({ status: 400, body: { success: false } });
    expect(created.body.errors[0]).toMatchObject({
      field,
      message: expect.stringMatching(message),
    });
    expect(validated).toMatchObject({ success: true, valid: false, targets: [] });
    expect(validated.errors).toEqual(
      created.body.errors.map(({ message }: { message: string }) => ({
        accountId: null,
        platform: null,
        error: message,
      })),
    );
    expect(await stage.objects()).toBe(0);
    expect(await stage.uploads()).toBe(0);
  },
);

test("validate and bulk agree word for word about each account, and validate stores nothing", async () => {
  const stage = await onStage();
  const accounts = [
    await stage.connect("bluesky"),
    await stage.connect("instagram"),
    await stage.connect("youtube"),
    await stage.connect("pinterest"),
    await stage.connect("x"),
    "acc_nobody",
  ];
  const fields = {
    accounts: JSON.stringify(accounts),
    description: "Words ".repeat(80),
    photo: photo(),
    schedule_date: "2026-12-24T18:00:00Z",
  };
  const validated = await stage.send("/upload/validate", fields);
  expect(await stage.objects()).toBe(0);
  expect(await stage.uploads()).toBe(0);
  const { results } = (await stage.send("/upload/bulk", fields)).body;
  const { errors, targets, valid } = validated.body;
  expect(valid).toBe(false);
  const failed = results.filter(({ success }: { success: boolean }) => !success);
  expect(
    errors.map(({ accountId, error }: { accountId: string; error: string }) => ({
      accountId,
      error,
    })),
  ).toEqual(
    failed.map(({ accountId, error }: { accountId: string; error: string }) => ({
      accountId,
      error,
    })),
  );
  expect(targets.length + errors.length).toBe(accounts.length);
  expect(targets[0]).toMatchObject({ scheduledFor: "2026-12-24T18:00:00.000Z" });
});

test("what is wrong with the batch is told all at once", async () => {
  const stage = await onStage();
  const { validated, created } = await stage.both({
    accounts: "acc_1",
    status: "now",
    schedule_date: START.toISOString(),
    x_foo: "1",
    overrides: "[]",
  });
  const fields = created.body.errors.map(({ field }: { field: string }) => field);
  expect(fields).toEqual(["accounts", "overrides", "x_foo", "status", "schedule_date"]);
  expect(validated.errors).toHaveLength(5);
});

test("all that is wrong with an account's post is in its one line", async () => {
  const stage = await onStage();
  const accountId = await stage.connect("pinterest");
  const { validated, created } = await stage.both({
    accounts: JSON.stringify([accountId]),
    description: "No board, no photo",
    title: "T".repeat(101),
  });
  const { error } = created.body.results[0];
  expect(error).toMatch(/board.*100/i);
  expect(error).toMatch(/photo|image/i);
  expect(error).not.toContain("see errors");
  expect(validated.errors).toEqual([{ accountId, platform: "pinterest", error }]);
});

test("50 accounts cost the round trips of one", async () => {
  const stage = await onStage();
  const accounts: string[] = [];
  for (let i = 0; i < 50; i++) accounts.push(await stage.connect("bluesky", `Many ${i}`));
  const costOf = async (ids: string[], text: string) => {
    const { costs, result } = await measure(stage.harness, () =>
      stage.bulk(ids, { description: text, photo: photo(ids.length) }),
    );
    expect(result.body).toMatchObject({ success: true });
    return costs;
  };
  const one = await costOf(accounts.slice(0, 1), "To one");
  const fifty = await costOf(accounts, "To fifty");
  expect(fifty.roundTrips.length).toBe(one.roundTrips.length);
  expect(fifty.roundTrips.length).toBe(2);
  expect(fifty.queueSends).toEqual([50]);
  expect(fifty.storageCalls).toEqual(["put"]);
  expect(one.rowsWritten).toBe(8);
  // A post's row and its five indexes; for all of them the file, and that they need it.
  expect(fifty.rowsWritten).toBe(50 * 6 + 2);
});

test("60 long texts are taken in the round trips of one long text, each as it was sent", async () => {
  const stage = await onStage();
  const accounts: string[] = [];
  for (let i = 0; i < 60; i++) accounts.push(await stage.connect("facebook", `Page ${i}`));
  // Three bytes a character, and quotes that JSON writes as two.
  const text = `${"語".repeat(40_000)}${'"'.repeat(20_000)}`;
  const { costs, result } = await measure(stage.harness, () =>
    stage.bulk(accounts, { description: text, schedule_date: "2026-12-20T09:00:00Z" }),
  );
  expect(result).toMatchObject({ status: 200, body: { success: true } });
  // Larger than what is taken in from strangers: who calls is asked first.
  expect(costs.roundTrips).toHaveLength(3);
  // A post's row, its five indexes, its event and the index of that.
  expect(costs.rowsWritten).toBe(8 * accounts.length);
  const ids = result.body.results.map(({ uploadId }: { uploadId: number }) => uploadId);
  expect(ids).toEqual(accounts.map((_, i) => ids[0] + i));
  for (const i of [0, 31, 59]) {
    const { description, connectedAccount } = await stage.read(ids[i]);
    expect([description === text, connectedAccount.id]).toEqual([true, accounts[i]]);
  }
  const { results: planned } = await env.DB.prepare(
    "SELECT data ->> 'uploadId' AS id FROM events WHERE team_id = ? AND name = 'upload.scheduled' ORDER BY id",
  )
    .bind(stage.member.teamId)
    .all<{ id: number }>();
  expect(planned.map(({ id }) => id).sort((a, b) => a - b)).toEqual(ids);
});

test("a batch under a key is taken once, and answered the same again", async () => {
  const stage = await onStage();
  const accounts = [await stage.connect("bluesky"), "acc_nobody", await stage.connect("threads")];
  const fields = { title: "Once", description: "Once", photo: photo() };
  const headers = { "idempotency-key": "batch-1" };
  const first = await stage.bulk(accounts, fields, headers);
  const again = await stage.bulk(accounts, fields, headers);
  expect(again.body).toEqual(first.body);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(await stage.uploads()).toBe(2);
  const other = await stage.bulk(accounts, { ...fields, description: "Twice" }, headers);
  expect(other).toMatchObject({ status: 422, body: { code: "IDEMPOTENCY_MISMATCH" } });
});

const AT_ONCE = loadOf(20, 100);

test(`${AT_ONCE} identical batches at once are taken as one, and all are told of it`, async () => {
  const stage = await onStage();
  const accounts = [await stage.connect("bluesky"), await stage.connect("threads")];
  const fields = { title: "Once", description: "Once", photo: photo() };
  const headers = { "idempotency-key": "batch-1" };
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, () => stage.bulk(accounts, fields, headers)),
  );
  const [first] = answers;
  for (const { status, body } of answers) expect([status, body]).toEqual([200, first?.body]);
  const replayed = answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true");
  expect(replayed).toHaveLength(AT_ONCE - 1);
  expect(await stage.uploads()).toBe(2);
  expect(await stage.objects()).toBe(1);
});
