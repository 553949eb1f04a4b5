import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { loseStoredAnswers } from "../../support/database.ts";
import { connectSandbox, createMember, type Fields, form, Harness } from "../../support/harness.ts";
import { loadOf } from "../../support/load.ts";
import { testPng } from "../../support/videos.ts";

async function onStage() {
  const harness = new Harness();
  const member = await createMember();
  const accountId = await connectSandbox(harness, member);
  return {
    harness,
    member,
    accountId,
    post: (fields: Fields, key: string | null) =>
      harness.call("POST", "/upload", {
        token: member.token,
        headers: key === null ? {} : { "idempotency-key": key },
        body: form({ accountId, ...fields }),
      }),
    uploads: async () =>
      (
        await env.DB.prepare("SELECT id FROM uploads WHERE team_id = ?")
          .bind(member.teamId)
          .all<{ id: number }>()
      ).results.length,
    objects: async () => {
      await harness.settle();
      return (await env.MEDIA.list({ prefix: `media/${member.teamId}/` })).objects.length;
    },
  };
}

const picture = (content: string) => new Blob([testPng, content], { type: "image/png" });

const AT_ONCE = loadOf(20, 100);

test(`${AT_ONCE} identical calls at once make one post, and all are told of it`, async () => {
  const stage = await onStage();
  const calls = Array.from({ length: AT_ONCE }, () =>
    stage.post({ description: "Once", photo: picture("same") }, "key-1"),
  );
  const answers = await Promise.all(calls);
  expect(await stage.uploads()).toBe(1);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ body }) => body.data.uploadId)).size).toBe(1);
  const replayed = answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true");
  expect(replayed).toHaveLength(AT_ONCE - 1);
  expect(await stage.objects()).toBe(1);
});

test("the same call again is answered as the first time, whatever became of the post", async () => {
  const stage = await onStage();
  const fields = { description: "Once" };
  const first = await stage.post(fields, "key-1");
  await stage.harness.drain();
  const again = await stage.post(fields, "key-1");
  expect(again.status).toBe(200);
  expect(again.body.data).toEqual(first.body.data);
});

test.each<[string, Fields]>([
  ["text", { description: "Another" }],
  ["file", { description: "Once", photo: picture("another") }],
  ["field", { description: "Once", photo: picture("one"), bluesky_langs: "en" }],
])("another %s under the same key is refused (422)", async (_, fields) => {
  const stage = await onStage();
  await stage.post({ description: "Once", photo: picture("one") }, "key-1");
  const answer = await stage.post(fields, "key-1");
  expect(answer).toMatchObject({ status: 422, body: { code: "IDEMPOTENCY_MISMATCH" } });
  expect(await stage.uploads()).toBe(1);
  expect(await stage.objects()).toBe(1);
});

test("another boundary, and fields in another order, are the same call", async () => {
  const stage = await onStage();
  const first = await stage.post({ description: "Once", bluesky_langs: "en" }, "key-1");
  const again = await stage.post({ bluesky_langs: "en", description: "Once" }, "key-1");
  expect(again.body.data).toEqual(first.body.data);
});

test("a key in quotes is the same key", async () => {
  const stage = await onStage();
  const first = await stage.post({ description: "Once" }, "key-1");
  const again = await stage.post({ description: "Once" }, '"key-1"');
  expect(again.body.data).toEqual(first.body.data);
});

test("a call that was refused may be made again under its key", async () => {
  const stage = await onStage();
  const refused = await stage.post({ description: "x".repeat(301) }, "key-1");
  expect(refused.status).toBe(400);
  expect((await stage.post({ description: "Short" }, "key-1")).status).toBe(200);
});

test("a key is its team's own, and good for a day", async () => {
  const [one, two] = [await onStage(), await onStage()];
  await one.post({ description: "One" }, "key-1");
  expect((await two.post({ description: "Two" }, "key-1")).status).toBe(200);
  one.harness.advance(86_400 + 1);
  expect((await one.post({ description: "Another day" }, "key-1")).status).toBe(200);
  expect(await one.uploads()).toBe(2);
});

test.each(["", '""', "k".repeat(256)])("a key of %# is refused", async (key) => {
  const stage = await onStage();
  expect((await stage.post({ description: "Text" }, key)).status).toBe(400);
});

test("a write whose answer was lost is found by the repetition", async () => {
  const stage = await onStage();
  const restore = loseStoredAnswers(stage.harness);
  const fields = { description: "Once", photo: picture("one") };
  expect((await stage.post(fields, "key-1")).status).toBe(500);
  restore();
  const again = await stage.post(fields, "key-1");
  expect(again.status).toBe(200);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(await stage.uploads()).toBe(1);
});
