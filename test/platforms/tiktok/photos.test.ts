import { describe, expect, test } from "vitest";
import type { Bookmark } from "../../../src/platforms/connector.ts";
import { tiktok } from "../../../src/platforms/tiktok/index.ts";
import {
  type Answer,
  CREATOR,
  data,
  error,
  type JobChange,
  job,
  NOW,
  photo,
  scriptedFetch,
} from "./scripted.ts";

const PHOTOS = [photo({ sha256: "aa".repeat(32) }), photo({ sha256: "bb".repeat(32) })];
const creator = () => ({ "creator_info/query/": [data(CREATOR)] });

async function prepared(change: JobChange = {}, script: Record<string, Answer[]> = creator()) {
  const { fetch } = scriptedFetch(script);
  const publishJob = job(fetch, { media: PHOTOS, ...change });
  const step = await tiktok.prepare(publishJob, null);
  if (step.kind !== "ready") throw new Error(JSON.stringify(step));
  return { bookmark: JSON.parse(JSON.stringify(step.bookmark)) as Bookmark, publishJob };
}

test("fixes the post with addresses of ours, padded to 1080 x 1920, and a cover counted from 0", async () => {
  const { bookmark, publishJob } = await prepared({
    title: "x".repeat(95),
    description: "Text",
    settings: { photo_cover_index: "2", auto_add_music: "true", is_aigc: "true" },
  });
  expect(publishJob.forms).toEqual(["vertical", "vertical"]);
  expect(bookmark).toEqual({
    stage: "photos",
    username: "ada",
    readyAt: NOW.getTime(),
    warnings: [],
    body: {
      media_type: "PHOTO",
      post_mode: "DIRECT_POST",
      post_info: {
        title: "x".repeat(90),
        description: `${"x".repeat(95)}\nText`,
        privacy_level: "PUBLIC_TO_EVERYONE",
        disable_comment: false,
        auto_add_music: true,
        brand_content_toggle: false,
        brand_organic_toggle: false,
      },
      source_info: {
        source: "PULL_FROM_URL",
        photo_images: [
          `https://akimbo.test/media/1/${"aa".repeat(32)}/vertical`,
          `https://akimbo.test/media/1/${"bb".repeat(32)}/vertical`,
        ],
        photo_cover_index: 1,
      },
      is_aigc: true,
    },
  });
});

test("drafts carry the texts alone, and the creator is not asked", async () => {
  const { bookmark } = await prepared({ settings: { post_mode: "DRAFT" } }, {});
  expect(bookmark).toMatchObject({
    body: { post_mode: "MEDIA_UPLOAD", post_info: { title: "Look" } },
  });
  expect(Object.keys(bookmark.body as object)).not.toContain("is_aigc");
});

test("what is ready stays ready", async () => {
  const { bookmark, publishJob } = await prepared();
  expect(await tiktok.prepare(publishJob, bookmark)).toEqual({ kind: "ready", bookmark });
});

async function submit(init: Answer[], change: JobChange = {}) {
  const { bookmark } = await prepared(change);
  const { fetch, calls } = scriptedFetch({ "content/init/": init });
  const step = await tiktok.submit(job(fetch, { media: PHOTOS, ...change }), bookmark);
  return { step, calls, bookmark };
}

describe("the call that makes the post", () => {
  test("sends what was fixed and follows the task", async () => {
    const { step, calls, bookmark } = await submit([data({ publish_id: "p_pub_url~1" })]);
    expect(calls[0]?.json).toEqual(bookmark.body);
    expect(step).toEqual({
      kind: "waiting",
      bookmark: {
        stage: "processing",
        publishId: "p_pub_url~1",
        username: "ada",
        isForInbox: false,
        isPublic: true,
        warnings: [],
        since: NOW.getTime(),
        completeSince: null,
      },
      checkAfterSeconds: 5,
    });
  });

  test.each([
    "privacy_level_option_mismatch",
    "unaudited_client_can_only_post_to_private_accounts",
  ])("is repeated once as SELF_ONLY after %s, with a warning", async (code) => {
    const task = data({ publish_id: "p_pub_url~1" });
    const { step, calls } = await submit([error(403, code), task]);
    expect(step).toMatchObject({
      kind: "waiting",
      bookmark: { isPublic: false, warnings: [expect.stringContaining("SELF_ONLY")] },
    });
    expect(calls[1]?.json.post_info.privacy_level).toBe("SELF_ONLY");
  });

  test.each<[string, Answer]>([
    ["an outage", error(500, "internal_error")],
    ["a broken connection", new TypeError("Network connection lost.")],
  ])("has to be looked for where the private one ends in %s", async (_, answer) => {
    const { step } = await submit([error(403, "privacy_level_option_mismatch"), answer]);
    expect(step).toMatchObject({
      kind: "failed",
      failure: { code: "platform_processing_timeout" },
      transient: false,
    });
  });

  test("is not repeated as private for branded content", async () => {
    const { step, calls } = await submit([error(403, "privacy_level_option_mismatch")], {
      settings: { brand_content_toggle: "true" },
    });
    expect(step).toMatchObject({ kind: "failed", failure: { code: "unknown" } });
    expect(calls).toHaveLength(1);
  });

  test.each<[string, () => Response]>([
    ["a 500", () => error(500, "internal_error")],
    ["a 502 of somebody else", () => new Response("Bad gateway", { status: 502 })],
    ["a success that cannot be read", () => new Response("{")],
    ["a redirect", () => new Response(null, { status: 302 })],
  ])("is undecided after %s", async (_, answer) => {
    expect((await submit([answer()])).step).toMatchObject({ kind: "unknown" });
  });

  test("refused in so many words it posts nothing", async () => {
    const { step } = await submit([error(403, "url_ownership_unverified")]);
    expect(step).toMatchObject({ kind: "failed", failure: { code: "media_unreachable" } });
    const expired = await submit([error(401, "access_token_invalid")]);
    expect(expired.step).toEqual({ kind: "token_expired" });
  });
});

describe("a call without an answer", () => {
  const listed = (change: object = {}) => ({
    id: "7512345678901234567",
    create_time: Math.floor(NOW.getTime() / 1_000) + 20,
    share_url: "https://www.tiktok.com/@ada/photo/7512345678901234567",
    video_description: "Look",
    title: "",
    ...change,
  });

  async function reconcile(answer: Answer | null, change: JobChange = {}) {
    const { bookmark } = await prepared(change);
    const { fetch, calls } = scriptedFetch(answer ? { "video/list/": [answer] } : {});
    return {
      reconciled: await tiktok.reconcile(job(fetch, { media: PHOTOS, ...change }), bookmark),
      calls,
    };
  }

  const description = "More of it";

  test.each<[string, object, JobChange]>([
    ["its title", {}, {}],
    ["its title as such", { video_description: "", title: "Look" }, {}],
    ["its description", { video_description: description, title: "Look" }, { description }],
    ["both together", { video_description: `Look\n${description}` }, { description }],
  ])("is found among the public posts by %s", async (_, change, post) => {
    const { reconciled, calls } = await reconcile(data({ videos: [listed(change)] }), post);
    expect(reconciled).toEqual({
      kind: "published",
      platformPostId: "7512345678901234567",
      shareUrl: "https://www.tiktok.com/@ada/video/7512345678901234567",
    });
    expect(calls[0]?.url).toContain("fields=id,create_time");
    expect(calls[0]?.json).toEqual({ max_count: 20 });
  });

  test.each<[string, object[]]>([
    ["nothing is listed", []],
    ["an older post has the text", [listed({ create_time: NOW.getTime() / 1_000 - 61 })]],
    ["another post is listed", [listed({ video_description: "Other" })]],
    ["two posts have the text", [listed(), listed({ id: "7512345678901234568" })]],
  ])("is not decided where %s", async (_, videos) => {
    expect((await reconcile(data({ videos }))).reconciled).toMatchObject({ kind: "unknowable" });
  });

  test("is not decided by a title that a description goes with", async () => {
    const other = listed({ title: "Look", video_description: "Something else" });
    const { reconciled } = await reconcile(data({ videos: [other] }), { description });
    expect(reconciled).toMatchObject({ kind: "unknowable" });
  });

  test.each<[string, Record<string, string>]>([
    ["a private post", { privacy_level: "SELF_ONLY" }],
    ["a post for friends", { privacy_level: "MUTUAL_FOLLOW_FRIENDS" }],
    ["a draft", { post_mode: "DRAFT" }],
  ])("of %s cannot be asked after", async (_, settings) => {
    const { reconciled, calls } = await reconcile(null, { settings });
    expect(reconciled).toMatchObject({ kind: "unknowable" });
    expect(calls).toEqual([]);
  });

  test("is asked after with a fresh token, later, or not at all", async () => {
    expect((await reconcile(error(401, "access_token_invalid"))).reconciled).toEqual({
      kind: "token_expired",
    });
    expect((await reconcile(error(401, "scope_not_authorized"))).reconciled).toMatchObject({
      kind: "unknowable",
    });
    await expect(reconcile(error(500, "internal_error"))).rejects.toThrow("internal_error");
  });
});
