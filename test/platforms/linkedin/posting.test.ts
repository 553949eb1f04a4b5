import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { FAILURE_CODES } from "../../../src/core/failures.ts";
import { sha256Hex } from "../../../src/core/signature.ts";
import { linkedin } from "../../../src/platforms/linkedin/index.ts";
import { createSandboxFetch } from "../../../src/sandbox/fetch.ts";
import { sandboxCredentials } from "../../../src/sandbox/kit/login.ts";
import { linkedinSimulator } from "../../../src/sandbox/linkedin/index.ts";
import {
  mp4 as anyMp4,
  count,
  dieBefore,
  type Fields,
  jpeg,
  openStage,
  png,
  watcherOf,
} from "../../support/stage.ts";
import { shortMp4, testJpeg, testPng, verticalMp4 } from "../../support/videos.ts";

const pdfBytes = Uint8Array.from(new TextEncoder().encode("%PDF-1.4 a document of one line"));
const pdf = () => new Blob([pdfBytes], { type: "application/pdf" });

/** A video with room behind it, so that it is large enough. */
function videoOf(sizeBytes: number, bytes = verticalMp4): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(sizeBytes);
  whole.set(bytes);
  return whole;
}

const mp4 = (bytes = videoOf(80_000)) => anyMp4(bytes);

/** The first page of a sandbox member. */
async function pageOf(name: string, teamId: number): Promise<string> {
  const fetch = createSandboxFetch(env.SANDBOX_STATE, { teamId, accountId: null, uploadId: null });
  const { accessToken } = sandboxCredentials("linkedin", name);
  const account = { platformAccountId: "", handle: null, service: null };
  const pages = await linkedin.extras?.pages?.(fetch, accessToken, account);
  const [page] = pages?.ok ? pages.value : [];
  if (!page) throw new Error("There are no pages.");
  return page.id;
}

/** An account of a person, or of the first of the person's pages. */
const onStage = ({ isPage = false } = {}) => openStage("linkedin", isPage ? { pageOf } : {});

/** Verb and path, without numbers. */
const watching = watcherOf(linkedinSimulator, ({ request, url }) => {
  const { pathname, searchParams } = url;
  const path = pathname.startsWith("/dms-uploads/") ? "upload" : pathname.replace("/rest/", "");
  const action = searchParams.get("action") ?? "";
  return [request.method, path.replace(/\/urn.+$/, "/urn"), action].join(" ").trim();
});

const DONE = { status: "completed", errorMessage: null };
const ADDRESS = /^https:\/\/www\.linkedin\.com\/feed\/update\/urn:li:(?:share|ugcPost):\d{19}\/$/;

test("a text goes out with every field, styled and whole", async () => {
  const stage = await onStage();
  const description = "**New** (really): *C#* & #tag_one\n* 50% {off} | a_b@c.d ~ <x> \\ [1]";
  const calls = await watching(async () => {
    expect(
      await stage.publish({ description, title: "Label", visibility: "CONNECTIONS" }),
    ).toMatchObject(DONE);
  });
  expect(calls).toEqual(["POST posts"]);
  expect(await stage.feed()).toMatchObject([
    {
      received: 1,
      text: "𝗡𝗲𝘄 (really): 𝘊# & #tag_one\n* 50% {off} | a_b@c.d ~ <x> \\ [1]",
      media: [],
      url: expect.stringMatching(ADDRESS),
      fields: { visibility: "CONNECTIONS", lifecycleState: "PUBLISHED" },
    },
  ]);
});

test.each([false, true])("photos go out in their order (page: %s)", async (isPage) => {
  const stage = await onStage({ isPage });
  expect(await stage.publish({ photo: jpeg(), description: "One" })).toMatchObject(DONE);
  const both = await stage.publish({ photo: [png(), jpeg()], description: "Two" });
  expect(both).toMatchObject(DONE);
  const [two, one] = await stage.feed();
  expect(one).toMatchObject({
    received: 1,
    media: [{ mime: "image/jpeg", sha256: await sha256Hex(testJpeg) }],
    fields: { content: { media: {} } },
  });
  expect(two).toMatchObject({
    received: 1,
    media: [{ sha256: await sha256Hex(testPng) }, { sha256: await sha256Hex(testJpeg) }],
    fields: { content: { multiImage: { images: [{}, {}] } } },
  });
  expect(two.fields.author).toMatch(isPage ? /^urn:li:organization:\d+$/ : /^urn:li:person:/);
});

test("a video is pushed part by part and stands in the feed byte for byte", async () => {
  const stage = await onStage();
  const bytes = videoOf(9_000_000);
  const calls = await watching(async () => {
    expect(await stage.publish({ video: mp4(bytes), title: "My film" })).toMatchObject(DONE);
  });
  // The first look comes while LinkedIn is at it, which people may not see.
  expect(count(calls, "GET videos/urn")).toBe(2);
  expect(JSON.stringify(await stage.feed())).not.toContain("My film");
  expect(calls.filter((call) => call !== "GET videos/urn")).toEqual([
    "POST videos initializeUpload",
    "PUT upload",
    "PUT upload",
    "PUT upload",
    "POST videos finalizeUpload",
    "POST posts",
  ]);
  expect(await stage.feed()).toMatchObject([
    {
      received: 1,
      text: "",
      media: [{ kind: "video", sizeBytes: 9_000_000, sha256: await sha256Hex(bytes) }],
      fields: { content: { media: { id: expect.stringMatching(/^urn:li:video:/) } } },
      url: expect.stringContaining("urn:li:ugcPost:"),
    },
  ]);
}, 60_000);

test.each([false, true])("a document goes out whole (page: %s)", async (isPage) => {
  const stage = await onStage({ isPage });
  const fields = { photo: pdf(), description: "**Read** this\nnow", media_type: "DOCUMENT" };
  expect(await stage.publish(fields)).toMatchObject(DONE);
  expect(await stage.feed()).toMatchObject([
    {
      received: 1,
      media: [{ kind: "document", mime: "application/pdf", sha256: await sha256Hex(pdfBytes) }],
      fields: { content: { media: { title: "Read this" } } },
    },
  ]);
});

test.each<[string, () => Fields]>([
  ["text", () => ({})],
  ["photo", () => ({ photo: jpeg() })],
])(
  "%s: steering words end the post with each failure",
  async (_, media) => {
    const stage = await onStage();
    for (const code of FAILURE_CODES) {
      const upload = await stage.publish({ ...media(), description: `${code} [sandbox:${code}]` });
      expect(upload).toMatchObject({ status: "failed", failure: { code } });
      expect(upload.errorMessage).not.toBe("");
      if (code === "account_disconnected") await stage.connect();
    }
    expect(await stage.feed()).toEqual([]);
  },
  30_000,
);

test("a lost answer to a page's post is looked up, never repeated", async () => {
  const stage = await onStage({ isPage: true });
  const calls = await watching(async () => {
    const upload = await stage.publish({ description: "**Lost** [sandbox:lost_reply]" });
    expect(upload).toMatchObject({ status: "completed" });
  });
  expect(calls).toEqual(["POST posts", "GET posts"]);
  expect(await stage.feed()).toMatchObject([{ received: 1 }]);
});

test("a lost answer to a person's post is for the person to look at, never repeated", async () => {
  const stage = await onStage();
  const calls = await watching(async () => {
    expect(await stage.publish({ description: "Lost [sandbox:lost_reply]" })).toMatchObject({
      status: "failed",
      failure: { code: "platform_processing_timeout", nextAction: "check_platform" },
    });
  });
  expect(calls).toEqual(["POST posts"]);
  expect(await stage.feed()).toMatchObject([{ received: 1 }]);
});

test.each([
  [true, "completed", ["POST posts", "GET posts"]],
  [false, "failed", ["POST posts"]],
])(
  "a run killed before it could store the post makes no second one (page: %s)",
  async (isPage, status, expected) => {
    const stage = await onStage({ isPage });
    const deaths = dieBefore(stage, "urn:li:share:");
    const calls = await watching(async () => {
      expect(await stage.publish({ description: "Killed" })).toMatchObject({ status });
    });
    expect(deaths()).toBe(1);
    expect(calls).toEqual(expected);
    expect(await stage.feed()).toMatchObject([{ received: 1 }]);
  },
);

test("a video whose run is killed goes on with the part that was not stored", async () => {
  const stage = await onStage();
  const bytes = videoOf(9_000_000);
  // The upload, its first part, its second part.
  const deaths = dieBefore(stage, '\\"progress\\"', 3);
  const calls = await watching(async () => {
    expect(await stage.publish({ video: mp4(bytes) })).toMatchObject({ status: "completed" });
  });
  expect(deaths()).toBe(1);
  expect(count(calls, "PUT upload")).toBe(4);
  expect(count(calls, "POST videos initializeUpload")).toBe(1);
  expect(await stage.feed()).toMatchObject([
    { received: 1, media: [{ sha256: await sha256Hex(bytes) }] },
  ]);
}, 60_000);

test("a slow answer is waited for", async () => {
  const stage = await onStage();
  expect(await stage.publish({ description: "Slow [sandbox:slow=1]" })).toMatchObject(DONE);
});

test("a page's post that LinkedIn fails to take is surely absent and sent again", async () => {
  const stage = await onStage({ isPage: true });
  const fields = { description: "Rough [sandbox:5xx=2]", photo: jpeg() };
  const calls = await watching(async () => {
    expect(await stage.publish(fields)).toMatchObject({ status: "completed" });
  });
  expect(count(calls, "POST posts")).toBe(3);
  expect(count(calls, "PUT upload")).toBe(1);
  expect(await stage.feed()).toMatchObject([{ received: 1 }]);
});

test("a refused token is refreshed once, and nothing is sent twice", async () => {
  const stage = await onStage();
  const fields = { description: "Late [sandbox:token_expired]", photo: jpeg() };
  const calls = await watching(async () => {
    expect(await stage.publish(fields)).toMatchObject({ status: "completed" });
  });
  expect(count(calls, "POST /oauth/v2/accessToken")).toBe(1);
  expect(count(calls, "PUT upload")).toBe(1);
  expect(await stage.feed()).toMatchObject([{ received: 1 }]);
});

test("a page's post for connections is refused (400)", async () => {
  const stage = await onStage({ isPage: true });
  const answer = await stage.send({ description: "Hi", visibility: "CONNECTIONS" });
  expect(answer.status).toBe(400);
  expect(answer.body.errors).toEqual([
    { field: "visibility", message: expect.stringContaining("PUBLIC") },
  ]);
});

test("a video that is too short ends the post before anything goes out", async () => {
  const stage = await onStage();
  const calls = await watching(async () => {
    const upload = await stage.publish({ video: mp4(videoOf(80_000, shortMp4)) });
    expect(upload).toMatchObject({
      status: "failed",
      failure: { code: "media_invalid" },
      errorMessage: expect.stringContaining("3 seconds"),
    });
  });
  expect(calls).toEqual([]);
});

test("a page is connected beside its member, and a stranger's is not", async () => {
  const stage = await onStage({ isPage: true });
  const person = await stage.connect();
  expect(person).toMatchObject({ status: 200 });
  expect(person.body.data.id).not.toBe(stage.accountId);
  const stranger = await stage.connect("urn:li:organization:1");
  expect(stranger.status).toBeGreaterThanOrEqual(400);
  expect(JSON.stringify(stranger.body)).toContain("may not publish");
});

test("an account that was removed can be connected again", async () => {
  const stage = await onStage();
  const { harness, accountId, member } = stage;
  const removed = await harness.call("DELETE", `/accounts/${accountId}`, { token: member.token });
  expect(removed.status).toBe(200);
  expect(await stage.connect()).toMatchObject({ status: 200 });
});

test.each<[string, Fields, string]>([
  ["no text", {}, "description"],
  ["3,001 characters", { description: "x".repeat(3_001) }, "description"],
  ["a document without a text", { photo: pdf() }, "description"],
  [
    "1,501 parentheses, which are sent with a backslash each",
    { description: "(".repeat(1_501) },
    "description",
  ],
  ["a title of 401", { description: "Hi", title: "x".repeat(401) }, "title"],
  ["another visibility", { description: "Hi", visibility: "FRIENDS" }, "visibility"],
  ["a photo called a document", { photo: jpeg(), media_type: "DOCUMENT" }, "media_type"],
  ["a small video", { video: mp4(verticalMp4) }, "video"],
  ["a photo beside a video", { video: mp4(), photo: jpeg() }, "video"],
])("refuses %s (400)", async (_, fields, field) => {
  const stage = await onStage();
  const answer = await stage.send(fields);
  expect(answer.status).toBe(400);
  expect(answer.body.errors).toMatchObject([{ field }]);
});
