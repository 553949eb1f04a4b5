import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import type { Platform } from "../../src/core/platforms.ts";
import type { Fields } from "../support/harness.ts";
import { dieBefore, jpeg, mp4, openStage, type Stage, videoOf } from "../support/stage.ts";
import { pageOf } from "./linkedin/row.ts";

interface Commenter {
  platform: Platform;
  usual: Fields;
  pageOf?: (name: string) => Promise<string>;
  scope: string;
  /** The platform lists the comments of a post to the app. */
  isListed: boolean;
  address: RegExp | null;
}

const YOUTUBE: Commenter = {
  platform: "youtube",
  usual: { title: "Look", video: mp4() },
  scope: "https://www.googleapis.com/auth/youtube.force-ssl",
  isListed: true,
  address: /^https:\/\/www\.youtube\.com\/watch\?v=[\w-]{11}&lc=Ugx[\w-]+$/,
};
const FACEBOOK: Commenter = {
  platform: "facebook",
  usual: { description: "Look" },
  scope: "pages_manage_engagement",
  isListed: true,
  address: /^https:\/\/www\.facebook\.com\/\d+\?comment_id=\d+$/,
};
const INSTAGRAM: Commenter = {
  platform: "instagram",
  usual: { title: "Look", photo: jpeg() },
  scope: "instagram_business_manage_comments",
  isListed: true,
  address: null,
};
const PAGE: Commenter = {
  platform: "linkedin",
  usual: { description: "Look" },
  pageOf,
  scope: "w_organization_social_feed",
  isListed: true,
  address: null,
};
const { pageOf: _, ...OF_MEMBER } = PAGE;
const MEMBER: Commenter = { ...OF_MEMBER, scope: "w_member_social_feed", isListed: false };

const ALL: [string, Commenter][] = [
  ["YouTube", YOUTUBE],
  ["a Facebook Page", FACEBOOK],
  ["a photo on Facebook", { ...FACEBOOK, usual: { description: "Look", photo: jpeg() } }],
  ["a video on Facebook", { ...FACEBOOK, usual: { description: "Look", video: mp4() } }],
  ["Instagram", INSTAGRAM],
  ["a LinkedIn page", PAGE],
  ["a LinkedIn member", MEMBER],
];

const open = ({ platform, usual, pageOf }: Commenter): Promise<Stage> =>
  openStage(platform, { usual: () => usual, ...(pageOf ? { pageOf } : {}) });

const textsOf = ([post]: { comments: { text: string }[] }[]) =>
  post?.comments.map(({ text }) => text);

const isComment = (call: string) => /^POST .*(?:\/comments|\/commentThreads)$/.test(call);

const expectOnce = (feed: { received: number }[]) =>
  expect(feed.map(({ received }) => received)).toEqual([1]);

describe.each(ALL)("a first comment on %s", (_name, commenter) => {
  test("goes out once, below a post that goes out once", async () => {
    const stage = await open(commenter);
    const { upload, calls, feed } = await stage.publish({ first_comment: "More of it\nbelow" });
    expect(upload).toMatchObject({
      status: "completed",
      parts: [{ position: 1, kind: "comment", status: "completed", errorMessage: null }],
    });
    expect(upload.metadata.warnings).toBeUndefined();
    const [{ platformPostId, shareUrl }] = upload.parts;
    expect(platformPostId).toContain(feed[0].comments[0].key);
    if (commenter.address) expect(shareUrl).toMatch(commenter.address);
    else expect(shareUrl).toBeNull();
    expectOnce(feed);
    expect(textsOf(feed)).toEqual(["More of it\nbelow"]);
    expect(calls.filter(isComment)).toHaveLength(1);
  });

  const unproven = [{ status: "failed", failure: { code: "platform_processing_timeout" } }];
  const expected = commenter.isListed ? [{ status: "completed" }] : unproven;

  test("is there once although its answer is lost", async () => {
    const stage = await open(commenter);
    const first_comment = "Below [sandbox:lost_reply]";
    const { upload, calls, feed } = await stage.publish({ first_comment });
    expect(upload).toMatchObject({ status: "completed", parts: expected });
    expectOnce(feed);
    expect(textsOf(feed)).toEqual([first_comment]);
    expect(calls.filter(isComment)).toHaveLength(1);
  });

  test("is there once although its answer is lost and the list shows it late", async () => {
    const stage = await open(commenter);
    const fields = { first_comment: "Below [sandbox:lost_reply]" };
    let looks = 0;
    const { upload, calls, feed } = await stage.publish(fields, async (call, answer) => {
      const isLook =
        call.request.method === "GET" && /\/comment(?:s|Threads)$/.test(call.url.pathname);
      return isLook && ++looks <= 9
        ? Response.json({ data: [], items: [], elements: [] })
        : answer();
    });
    expect(upload).toMatchObject({ status: "completed", parts: expected });
    expect(textsOf(feed)).toHaveLength(1);
    expect(calls.filter(isComment)).toHaveLength(1);
  });

  test("is there once although its run dies before the outcome is stored", async () => {
    const stage = await open(commenter);
    const id = await stage.post({ first_comment: "Below" });
    const deaths = dieBefore(stage, "status = 'completed'");
    const upload = await stage.end(id);
    expect(deaths()).toBe(1);
    expect(upload).toMatchObject({ status: "completed", parts: expected });
    const feed = await stage.feed();
    expectOnce(feed);
    expect(textsOf(feed)).toEqual(["Below"]);
  });

  test("is sent again where the platform surely has none", async () => {
    const stage = await open(commenter);
    const { upload, feed } = await stage.publish({ first_comment: "Below [sandbox:5xx=1]" });
    // Facebook's list may lack comments that this login may not read.
    const isSure = commenter.isListed && commenter.platform !== "facebook";
    expect(upload).toMatchObject({ status: "completed", parts: isSure ? expected : unproven });
    if (commenter.platform === "facebook") {
      expect(upload.parts[0].errorMessage).toMatch(/logins with .* pages_read_user_content/);
    }
    expectOnce(feed);
    expect(textsOf(feed)).toHaveLength(isSure ? 1 : 0);
  });

  test("is sent with a new token when the platform refuses the old one", async () => {
    const stage = await open(commenter);
    const { upload, feed } = await stage.publish({
      first_comment: "Below [sandbox:token_expired]",
    });
    expect(upload).toMatchObject({ status: "completed", parts: [{ status: "completed" }] });
    expectOnce(feed);
    expect(textsOf(feed)).toHaveLength(1);
  });

  test("that the platform refuses leaves the post published, with a warning", async () => {
    const stage = await open(commenter);
    const { upload, feed } = await stage.publish({
      first_comment: "Below [sandbox:unknown]",
    });
    expect(upload).toMatchObject({
      status: "completed",
      failure: null,
      metadata: { warnings: [expect.stringMatching(/^Part 1: /)] },
      parts: [{ status: "failed", failure: { code: "unknown" } }],
    });
    expectOnce(feed);
    expect(textsOf(feed)).toEqual([]);
    expect(await stage.events()).toContain("upload.part_failed");
  });

  test("is refused where the login is known to lack the permission", async () => {
    const stage = await open(commenter);
    const grant = (scopes: string) =>
      env.DB.prepare("UPDATE accounts SET granted_scopes = ? WHERE id = ?")
        .bind(scopes, stage.accountId)
        .run();
    await grant("read_insights");
    const refused = await stage.send({ first_comment: "Below" });
    expect(refused).toMatchObject({ status: 400 });
    const { first_comment: message } = Object.fromEntries(
      refused.body.errors.map((one: { field: string; message: string }) => [
        one.field,
        one.message,
      ]),
    );
    expect(message).toContain(commenter.scope);
    expect(message).toMatch(/APP_SCOPES under "\w+"/);
    expect(message).toContain(`/app/setup/${commenter.platform}`);
    await stage.end(await stage.post());
    await grant(`read_insights ${commenter.scope}`);
    const upload = await stage.end(await stage.post({ first_comment: "Below", ...differing }));
    expect(upload).toMatchObject({ status: "completed", parts: [{ status: "completed" }] });
  });
});

test("on Facebook is sent again where the login may read every comment", async () => {
  const stage = await open(FACEBOOK);
  await env.DB.prepare("UPDATE accounts SET granted_scopes = ? WHERE id = ?")
    .bind("pages_manage_engagement pages_read_user_content", stage.accountId)
    .run();
  const { upload, feed } = await stage.publish({ first_comment: "Below [sandbox:5xx=1]" });
  expect(upload).toMatchObject({ status: "completed", parts: [{ status: "completed" }] });
  expectOnce(feed);
  expect(textsOf(feed)).toHaveLength(1);
});

test("below a post on Instagram whose id is not known is not sent", async () => {
  const stage = await open(INSTAGRAM);
  const fields = { first_comment: "Below" };
  const { upload, calls } = await stage.publish(fields, async (call, answer) => {
    const { pathname } = call.url;
    if (pathname.endsWith("/media_publish")) {
      await (await answer()).body?.cancel();
      throw new Error("The connection broke.");
    }
    const isList = call.request.method === "GET" && pathname.endsWith("/media");
    return isList ? Response.json({ data: [] }) : answer();
  });
  expect(upload).toMatchObject({
    status: "completed",
    metadata: { videoId: expect.stringMatching(/^container:\d+$/), shareUrl: null },
    parts: [{ status: "failed", errorMessage: expect.stringMatching(/which id the post has/) }],
  });
  expect(calls.filter(isComment)).toEqual([]);
});

test("the advice on Facebook names both permissions", async () => {
  const stage = await open(FACEBOOK);
  await env.DB.prepare("UPDATE accounts SET granted_scopes = 'read_insights' WHERE id = ?")
    .bind(stage.accountId)
    .run();
  const { body } = await stage.send({ first_comment: "Below" });
  expect(body.error).toMatch(/pages_manage_engagement.* adds it and pages_read_user_content to/);
});

const differing = { description: "Another", title: "Another" };

const refusalOf = async (commenter: Commenter, fields: Fields) => {
  const stage = await open(commenter);
  const answer = await stage.send({ first_comment: "Below", ...fields });
  expect(answer.status).toBe(400);
  expect(await stage.feed()).toEqual([]);
  return answer.body.errors;
};

test.each<[string, Commenter, Fields, RegExp]>([
  ["a story on Instagram", INSTAGRAM, { media_type: "STORIES" }, /a story takes no comments/],
  ["a private video", YOUTUBE, { privacyStatus: "private" }, /private video/],
  ["a video that waits", YOUTUBE, { scheduledDate: "2026-12-24T09:00:00Z" }, /scheduledDate/],
  ["a video for kids", YOUTUBE, { selfDeclaredMadeForKids: "true" }, /made for kids/],
  ["a long comment", PAGE, { first_comment: "a".repeat(1_251) }, /1,250 characters.*1,251/],
  ["a long comment on Instagram", INSTAGRAM, { first_comment: "a".repeat(2_201) }, /2,200.*2,201/],
  ["a long comment on Facebook", FACEBOOK, { first_comment: "a".repeat(8_001) }, /8,000.*8,001/],
])("%s is refused with a comment", async (_name, commenter, fields, message) => {
  expect(await refusalOf(commenter, fields)).toMatchObject([
    { field: "first_comment", message: expect.stringMatching(message) },
  ]);
});

test("a new reel is asked again until it takes comments", async () => {
  const usual = { description: "Look", video: mp4(), media_type: "REELS" };
  const stage = await open({ ...FACEBOOK, usual });
  const { upload, calls, feed } = await stage.publish({ first_comment: "Below" });
  expect(upload).toMatchObject({ status: "completed", parts: [{ status: "completed" }] });
  expectOnce(feed);
  expect(textsOf(feed)).toEqual(["Below"]);
  const tries = calls.filter(isComment);
  expect(tries.length).toBeGreaterThan(1);
  expect(new Set(tries).size).toBe(1);
  expect(tries[0]).toMatch(/\/\d+_\d+\/comments$/);
});

const NOT_FOUND = { message: "No post urn:li:share:1", status: 404, code: "NOT_FOUND" };
const THROTTLED = {
  message: "Comment create throttled: creation rate limit exceeded for member",
  status: 429,
  code: "TOO_MANY_REQUESTS",
};
const HIDDEN = { error: { message: "Object does not exist", code: 100, error_subcode: 33 } };
const googleError = (code: number, reason: string) => ({
  error: { code, message: reason, errors: [{ reason, message: reason }] },
});

test.each<[string, Commenter, number, object]>([
  ["a page's post on LinkedIn", PAGE, 404, NOT_FOUND],
  ["a person's post on LinkedIn", MEMBER, 404, NOT_FOUND],
  ["a LinkedIn page with too many comments", PAGE, 429, THROTTLED],
  ["a LinkedIn member with too many comments", MEMBER, 429, THROTTLED],
  ["a video on YouTube", YOUTUBE, 404, googleError(404, "videoNotFound")],
  ["a busy YouTube", YOUTUBE, 400, googleError(400, "processingFailure")],
  ["Instagram", INSTAGRAM, 400, HIDDEN],
])("%s that takes no comment yet gets it later, once", async (_name, commenter, status, body) => {
  const stage = await open(commenter);
  let tries = 0;
  const { upload, feed } = await stage.publish(
    { first_comment: "Below" },
    async ({ request, url }, answer) =>
      isComment(`${request.method} ${url.pathname}`) && ++tries === 1
        ? Response.json(body, { status })
        : answer(),
  );
  expect(upload).toMatchObject({ status: "completed", parts: [{ status: "completed" }] });
  expect(tries).toBe(2);
  expect(textsOf(feed)).toEqual(["Below"]);
});

test("a new video on LinkedIn takes its comment a little later", async () => {
  const stage = await open({ ...PAGE, usual: { description: "Look", video: videoOf(80_000) } });
  const { upload, calls, feed } = await stage.publish({ first_comment: "Below" });
  expect(upload).toMatchObject({ status: "completed", parts: [{ status: "completed" }] });
  expect(textsOf(feed)).toEqual(["Below"]);
  expect(calls.filter(isComment).length).toBeGreaterThan(1);
});

test("a 429 of LinkedIn in other words may have let the comment through", async () => {
  const stage = await open(MEMBER);
  const { upload, calls } = await stage.publish({ first_comment: "Below" }, async (call, answer) =>
    isComment(`${call.request.method} ${call.url.pathname}`)
      ? Response.json({ ...THROTTLED, message: "Too many calls" }, { status: 429 })
      : answer(),
  );
  expect(upload.parts).toMatchObject([
    {
      failure: { code: "platform_processing_timeout" },
      errorMessage: expect.stringMatching(/^Too many calls\. It is not known whether/),
    },
  ]);
  expect(calls.filter(isComment)).toHaveLength(1);
});

test.each([
  ["page", PAGE],
  ["member", MEMBER],
])(
  "a comment of a LinkedIn %s that LinkedIn refuses as a duplicate ends with its words",
  async (_, commenter) => {
    const stage = await open(commenter);
    const { upload, calls, feed } = await stage.publish({
      first_comment: "Below [sandbox:content_flagged]",
    });
    expect(upload.parts).toMatchObject([
      {
        ...{ status: "failed", failure: { code: "content_flagged" } },
        errorMessage: expect.stringMatching(/^Content is a duplicate/),
      },
    ]);
    expect(calls.filter(isComment)).toHaveLength(1);
    expect(textsOf(feed)).toEqual([]);
  },
);

test("a duplicate after an earlier attempt may be the comment, so it is not called refused", async () => {
  const stage = await open(MEMBER);
  const fields = { first_comment: "Below [sandbox:content_flagged]" };
  const { upload } = await stage.publish(fields);
  const { token } = stage.member;
  await stage.harness.call("POST", `/upload/${upload.id}/retry`, { token, json: { force: true } });
  expect((await stage.end(upload.id)).parts).toMatchObject([
    {
      failure: { code: "platform_processing_timeout" },
      errorMessage: expect.stringMatching(/^Content is a duplicate.* It is not known whether/),
    },
  ]);
});

test("a LinkedIn member who may not comment more is told so", async () => {
  const stage = await open(MEMBER);
  const { upload } = await stage.publish({ first_comment: "Below [sandbox:rate_limited]" });
  expect(upload.parts).toMatchObject([{ status: "failed", failure: { code: "rate_limited" } }]);
});

test("a video that its channel keeps private gets no comment, and the part says why", async () => {
  const stage = await openStage("youtube", { person: "Ada private uploads" });
  const { upload, feed } = await stage.publish({ ...YOUTUBE.usual, first_comment: "Below" });
  expect(upload).toMatchObject({
    status: "completed",
    parts: [
      {
        status: "failed",
        errorMessage: expect.stringMatching(/insufficient permissions\. .*private video/),
      },
    ],
  });
  expect(textsOf(feed)).toEqual([]);
});
