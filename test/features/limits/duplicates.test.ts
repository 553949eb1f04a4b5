import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { prepareText } from "../../../src/features/limits/content-rules.ts";
import { type Fields, form, START } from "../../support/harness.ts";
import { beginLife, later } from "../../support/life.ts";
import { testPng } from "../../support/videos.ts";

const DAY_SECONDS = 86_400;
/** Nearly all that Facebook takes. */
const LONG_CHARACTERS = 62_000;
/** A dry run takes a few ms; with every text read and compared whole it took 7 s for 121 posts. */
const MAX_MS = 1_500;

/** Words that repeat nothing; the same for the same seed. */
function wordsOf(seed: number, characters = LONG_CHARACTERS): string {
  const words: string[] = [];
  let state = seed;
  for (let length = 0; length < characters; length += 7) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    words.push(state.toString(36).padStart(6, "a").slice(-6));
  }
  return words.join(" ").slice(0, characters);
}

async function onStage(platform: "facebook" | "bluesky" = "facebook") {
  const life = await beginLife(undefined, platform);
  const { harness, member, accountId } = life;
  const send = (path: string, fields: Fields) =>
    harness.call("POST", path, { token: member.token, body: form(fields) });
  return {
    ...life,
    send,
    post: (fields: Fields) => send("/upload", { accountId, ...fields }),
    dryRun: async (description: string) => {
      const begun = performance.now();
      const answer = await send("/upload/validate", {
        accounts: JSON.stringify([accountId]),
        description,
      });
      return { ...answer.body, ms: performance.now() - begun };
    },
  };
}

const DUPLICATE = {
  status: 400,
  body: { violations: [{ type: "duplicate_content", message: expect.any(String) }] },
};
const SPAM = { status: 400, body: { violations: [{ type: "mention_spam" }] } };

describe("of 300 planned posts of 62,000 characters", () => {
  test.each<[string, (text: string) => string, boolean]>([
    ["none is like another text", () => wordsOf(1_000), true],
    ["one is the same", (text) => text, false],
    [
      "one is the same in capitals and commas",
      (text) => text.toUpperCase().replaceAll(" ", ", "),
      false,
    ],
    ["one is the same but for one word", (text) => text.replace(/ \w+ /, " another "), false],
  ])("%s: a dry run says so, and costs next to nothing", async (_, change, valid) => {
    planned ??= plan();
    const { dryRun } = await planned;
    vi.useFakeTimers({ now: START, toFake: ["Date"] });
    const { valid: found, ms } = await dryRun(change(wordsOf(300)));
    expect(found).toBe(valid);
    expect(ms).toBeLessThan(MAX_MS);
  });

  // A dry run changes nothing.
  let planned: ReturnType<typeof plan> | undefined;
  async function plan() {
    const stage = await onStage();
    const { insertMany, accountId } = stage;
    const at = later(3_600);
    await insertMany(
      Array.from({ length: 300 }, (_, i) => ({
        status: "scheduled",
        scheduled_for: at.getTime() + i,
        title: null,
        description: wordsOf(i + 1),
      })),
    );
    // All but the last were stored before digests were kept.
    const { digest } = await prepareText(wordsOf(300));
    await env.DB.prepare(
      "UPDATE uploads SET text_digest = ? WHERE account_id = ? AND scheduled_for = ?",
    )
      .bind(JSON.stringify(digest), accountId, at.getTime() + 299)
      .run();
    return stage;
  }
});

test("long texts that share but their beginning and their end are two", async () => {
  const { post } = await onStage();
  const [head, tail] = [wordsOf(1, 2_000), wordsOf(2, 2_000)];
  expect((await post({ description: head + wordsOf(3, 20_000) + tail })).status).toBe(200);
  expect((await post({ description: head + wordsOf(4, 30_000) + tail })).status).toBe(200);
});

describe("after 400 posts that are planned for far later", () => {
  const fill = async () => {
    const stage = await onStage("bluesky");
    await stage.insertMany(
      Array.from({ length: 400 }, (_, i) => ({
        status: "scheduled",
        scheduled_for: later(30 * DAY_SECONDS + i).getTime(),
        description: `Number ${i}`,
      })),
    );
    return stage;
  };

  test("the same text is still refused today", async () => {
    const { post } = await fill();
    expect((await post({ description: "Hello" })).status).toBe(200);
    expect(await post({ description: "Hello!" })).toMatchObject(DUPLICATE);
  });

  test("and the same mention in a fifth post", async () => {
    const { post } = await fill();
    for (let i = 0; i < 4; i++) {
      expect((await post({ description: `Post ${i} for @ada` })).status).toBe(200);
    }
    expect(await post({ description: "Post 4 for @ada" })).toMatchObject(SPAM);
  });
});

test("of very many posts around a time, the nearest are compared", async () => {
  const { insertMany, post } = await onStage("bluesky");
  await insertMany(
    [-1, 1].flatMap((side) =>
      Array.from({ length: 400 }, (_, i) => ({
        status: "scheduled",
        scheduled_for: later(20 * DAY_SECONDS + side * (60 + i * 60)).getTime(),
        title: null,
        description: `${side > 0 ? "After" : "Before"} ${i}`,
      })),
    ),
  );
  const schedule_date = later(20 * DAY_SECONDS).toISOString();
  for (const description of ["Before 0", "After 0"]) {
    expect(await post({ description, schedule_date })).toMatchObject(DUPLICATE);
  }
});

test("a mention in the midst of a long text counts", async () => {
  const { post } = await onStage();
  const around = (i: number) => `${wordsOf(i, 3_000)} @ada ${wordsOf(i + 50, 3_000)}`;
  for (let i = 0; i < 4; i++) expect((await post({ description: around(i) })).status).toBe(200);
  expect(await post({ description: around(4) })).toMatchObject(SPAM);
});

test("a post whose date stands behind its file is compared with those of that date", async () => {
  const { accountId, send } = await onStage("bluesky");
  const photo = () => new Blob([testPng, new Uint8Array(1_000_000)], { type: "image/png" });
  const schedule_date = later(20 * DAY_SECONDS).toISOString();
  const fields = () => ({ accountId, photo: photo(), description: "Hello", schedule_date });
  expect((await send("/upload", fields())).status).toBe(200);
  expect(await send("/upload", fields())).toMatchObject(DUPLICATE);
});

test("an edited text is the one that others are compared with", async () => {
  const { post, call } = await onStage();
  const text = (seed: number) => wordsOf(seed, 5_000);
  const schedule_date = later(3_600).toISOString();
  const { uploadId } = (await post({ description: text(1), schedule_date })).body.data;
  expect((await call("PATCH", `/upload/${uploadId}`, { description: text(2) })).status).toBe(200);
  expect((await post({ description: text(1) })).status).toBe(200);
  expect(await post({ description: text(2).toUpperCase() })).toMatchObject(DUPLICATE);
});
