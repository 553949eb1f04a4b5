import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import type { AppError } from "../../../src/core/errors.ts";
import { createPosts, validatePosts } from "../../../src/features/compose/bulk.ts";
import { createPost } from "../../../src/features/compose/create.ts";
import { EMPTY_POST, type NewPost } from "../../../src/features/compose/new-post.ts";
import { callerOf } from "../../support/caller.ts";
import { form } from "../../support/harness.ts";
import { beginLife, type Life, later } from "../../support/life.ts";
import { measure } from "../../support/meter.ts";

/** A door that has values and no form. */
let life: Life;
let post: NewPost;
beforeEach(async () => {
  life = await beginLife();
  const { accountId } = life;
  const origin = "https://akimbo.test";
  post = { ...EMPTY_POST, accountIds: [accountId], description: "Words", origin };
});

const caller = () => callerOf(life.harness, life.member);
const rowsOf = async () => {
  const { results } = await env.DB.prepare("SELECT * FROM uploads WHERE team_id = ? ORDER BY id")
    .bind(life.member.teamId)
    .all();
  return results;
};
const refusal = (call: Promise<unknown>): Promise<AppError> =>
  call.then(
    () => Promise.reject(new Error("It was taken.")),
    (error) => error,
  );

test("a post of values is stored as the same form is, at the same cost", async () => {
  const { harness, member, accountId, row } = life;
  const scheduledFor = later(86_400);
  const values = { ...post, title: "T", settings: { bluesky_langs: "en" }, scheduledFor };
  const { costs, result } = await measure(harness, async () => createPost(await caller(), values));
  const fields = { accountId, title: "T", description: "Other", bluesky_langs: "en" };
  const formed = await measure(harness, () =>
    harness.call("POST", "/upload", {
      token: member.token,
      body: form({ ...fields, schedule_date: scheduledFor.toISOString() }),
    }),
  );
  expect(result).toMatchObject({ isReplayed: false, result: { status: "scheduled" } });
  const own = await row(result.result.id);
  expect(await row(formed.result.body.data.uploadId)).toEqual({
    ...own,
    id: own.id + 1,
    description: "Other",
    text_digest: expect.any(String),
  });
  expect(costs.roundTrips.length).toBe(formed.costs.roundTrips.length);
  expect(costs.rowsWritten).toBe(formed.costs.rowsWritten);
});

test("a repeated call is given the first post, another post under its name is refused", async () => {
  const named = { ...post, call: { route: "create_post", key: "k" } };
  const first = await createPost(await caller(), named);
  const again = await createPost(await caller(), named);
  expect([first.isReplayed, again.isReplayed]).toEqual([false, true]);
  expect(again.result.id).toBe(first.result.id);
  const other = createPost(await caller(), { ...named, description: "Other" });
  expect((await refusal(other)).code).toBe("IDEMPOTENCY_MISMATCH");
  expect(await rowsOf()).toHaveLength(1);
});

test("files are URLs, or files that the team has already", async () => {
  const [sha256 = ""] = await life.storeFiles(1);
  const objects = () => env.MEDIA.list({ prefix: `media/${life.member.teamId}/` });
  const before = await objects();
  const url = "https://cdn.example.com/a.png";
  const media = [
    { role: "photo", field: "mediaUrls.0", url },
    { role: "photo", field: "mediaUrls.1", sha256 },
  ] as const;
  const { result } = await createPost(await caller(), { ...post, media });
  expect(result.media).toEqual([{ url }, { sha256, kind: "image" }]);
  const uses = await env.DB.prepare("SELECT sha256 FROM media_uses WHERE upload_id = ?")
    .bind(result.id)
    .all();
  expect(uses.results).toEqual([{ sha256 }]);
  await life.harness.settle();
  expect((await objects()).objects).toHaveLength(before.objects.length);
});

test.each([
  ["a URL into our own network", { url: "http://10.0.0.1/a.png" }, /media URL/],
  ["a file of nobody", { sha256: "f".repeat(64) }, /no longer stored/],
  ["a file that could not be read", { refusal: "the file is empty." }, /empty/],
])("%s is refused by the caller's name for it", async (_, file, message) => {
  const media = [{ role: "photo" as const, field: "mediaUrls.0", ...file }];
  const { extras } = await refusal(createPost(await caller(), { ...post, media }));
  expect(extras.errors).toEqual([
    { field: "mediaUrls.0", message: expect.stringMatching(message) },
  ]);
  expect(await rowsOf()).toEqual([]);
});

test("a file of another team is nobody's", async () => {
  const other = await beginLife();
  const [sha256 = ""] = await other.storeFiles(1);
  const media = [{ role: "photo" as const, field: "photo", sha256 }];
  const refused = await refusal(createPost(await caller(), { ...post, media }));
  expect(refused.extras.errors).toMatchObject([{ field: "photo" }]);
});

test("the caller's scope is asked for, whatever the door", async () => {
  const token = await life.colleague("OWNER", ["posts:read"]);
  const ctx = await callerOf(life.harness, { ...life.member, token }, "posts:read");
  expect((await refusal(createPost(ctx, post))).code).toBe("INSUFFICIENT_SCOPE");
  expect((await refusal(createPosts(ctx, { ...post, accountIds: [] }))).code).toBe(
    "INSUFFICIENT_SCOPE",
  );
});

test("many accounts have settings of their platform, and of their own", async () => {
  const settings = { bluesky_langs: "en" };
  const overrides = {
    bluesky: { settings: { bluesky_langs: "de", bluesky_labels: "nudity" } },
    [life.accountId]: { caption: "For one", settings: { bluesky_langs: "fr" } },
  };
  const many = { ...post, settings, overrides };
  expect(await validatePosts(await caller(), many)).toMatchObject({ errors: [] });
  const { result } = await createPosts(await caller(), many);
  expect(result.results).toMatchObject([{ accountId: life.accountId, success: true }]);
  const [row] = await rowsOf();
  expect(row).toMatchObject({ description: "For one" });
  expect(JSON.parse(String(row?.settings))).toMatchObject({ bluesky_langs: ["fr"] });
});
