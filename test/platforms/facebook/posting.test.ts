import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { sha256Hex } from "../../../src/core/signature.ts";
import { createSandboxFetch } from "../../../src/sandbox/fetch.ts";
import { sandboxCredentials } from "../../../src/sandbox/kit/login.ts";
import { count, dieBefore, mp4, openStage, type Stage, videoOf } from "../../support/stage.ts";
import { facebook } from "./row.ts";

const onStage = (pageId?: string) =>
  openStage("facebook", { ...facebook, ...(pageId ? { pageOf: async () => pageId } : {}) });

test("a Page is connected by its own token, and another one by its id", async () => {
  const stage = await onStage();
  expect(stage.account).toMatchObject({ platform: "facebook", profileImageUrl: null });
  const other = await onStage("123456789");
  const { upload } = await other.publish({ description: "As the other Page" });
  expect(upload.metadata.videoId).toMatch(/^123456789_\d{15}$/);
});

test.each(["invalid", "unreachable"])(
  "a link that Facebook calls %s is flagged, at once",
  async (site) => {
    const { upload, feed } = await (await onStage()).publish({
      description: "Read this",
      link: `https://${site}.example.com/`,
    });
    expect(upload).toMatchObject({ status: "failed", failure: { code: "content_flagged" } });
    expect(feed).toEqual([]);
  },
);

test("a long video goes up in the parts that Facebook asks for", async () => {
  const video = videoOf(17_000_000);
  const { upload, calls, feed } = await (await onStage()).publish({ video, description: "Long" });
  expect(upload).toMatchObject({ status: "completed", errorMessage: null });
  expect(count(calls, "POST videos transfer")).toBe(3);
  const sha256 = await sha256Hex(new Uint8Array(await video.arrayBuffer()));
  expect(feed).toMatchObject([{ received: 1, media: [{ sizeBytes: 17_000_000, sha256 }] }]);
}, 60_000);

/** Another publisher posts on the same Page. */
async function postElsewhere({ member, accountId, name }: Stage, message: string) {
  const origin = { teamId: member.teamId, accountId, uploadId: 0 };
  const fetch = createSandboxFetch(env.SANDBOX_STATE, origin);
  const { accessToken } = sandboxCredentials("facebook", name);
  const reply = await fetch("https://graph.facebook.com/v26.0/me/feed", {
    method: "POST",
    headers: { authorization: `Bearer ${accessToken}` },
    body: new URLSearchParams({ message }),
  });
  expect(await reply.json()).toHaveProperty("id");
}

test("the words of another post are refused as flagged, not taken for ours", async () => {
  const stage = await onStage();
  await postElsewhere(stage, "Twice the same");
  stage.harness.advance(300);
  const { upload, feed } = await stage.publish({ description: "Twice the same" });
  expect(upload).toMatchObject({ status: "failed", failure: { code: "content_flagged" } });
  expect(feed).toHaveLength(1);
});

test("a run killed before it could store the finish makes no second video", async () => {
  const stage = await onStage();
  const deaths = dieBefore(stage, '\\"stage\\":\\"processing\\"');
  const { upload, calls, feed } = await stage.publish({ video: mp4(), description: "Once" });
  expect(deaths()).toBe(1);
  expect(count(calls, "POST videos finish")).toBe(1);
  expect(upload).toMatchObject({ status: "completed" });
  expect(feed).toMatchObject([{ received: 1 }]);
});
