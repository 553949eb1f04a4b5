import { expect, test } from "vitest";
import { sha256Hex } from "../../../src/core/signature.ts";
import { count, dieAfterChildren, jpeg, mp4, openStage, png } from "../../support/stage.ts";
import { testJpeg, verticalMp4 } from "../../support/videos.ts";
import { instagram } from "./row.ts";

const onStage = () => openStage("instagram", instagram);

test("a mixed carousel of three keeps its order and tags the first image", async () => {
  const { upload, feed } = await (await onStage()).publish({
    photo: [mp4(), jpeg(), png()],
    title: "Three",
    user_tags: "carol",
    is_aigc: "true",
  });
  expect(upload).toMatchObject({ status: "completed" });
  const [post] = feed;
  expect(post).toMatchObject({
    media: [
      { kind: "video", sha256: await sha256Hex(verticalMp4) },
      { kind: "image", sha256: await sha256Hex(testJpeg) },
      { kind: "image", mime: "image/jpeg" },
    ],
    fields: {
      media_type: "CAROUSEL",
      caption: "Three",
      is_ai_generated: "true",
      items: [{ media_type: "VIDEO" }, { user_tags: expect.stringContaining("carol") }, {}],
    },
  });
  expect(post.fields.items[2]).not.toHaveProperty("user_tags");
});

test.each([
  ["image", () => ({ photo: jpeg() })],
  ["video", () => ({ video: mp4() })],
])("a story of one %s is sent with nothing but its file", async (kind, media) => {
  const fields = { title: "Nobody reads this", is_aigc: "true", media_type: "stories" };
  const { upload, feed } = await (await onStage()).publish({ ...media(), ...fields });
  expect(Object.keys(feed[0].fields).sort()).toEqual([`${kind}_url`, "media_type"].sort());
  expect(JSON.stringify(upload)).not.toContain("instagram.com");
});

test("runs killed after each item of a carousel make no container twice", async () => {
  const stage = await onStage();
  const deaths = dieAfterChildren(stage, 3);
  const fields = { photo: [jpeg(), mp4(), png()], title: "Three" };
  const { upload, calls, feed } = await stage.publish(fields);
  expect(deaths()).toBe(3);
  expect(upload).toMatchObject({ status: "completed" });
  expect(count(calls, "POST media")).toBe(4);
  expect(feed).toMatchObject([
    { received: 1, media: [{ kind: "image" }, { kind: "video" }, { kind: "image" }] },
  ]);
});
