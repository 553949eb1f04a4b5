import { expect, test } from "vitest";
import { openStage, photo } from "../../support/stage.ts";

const onStage = () => openStage("bluesky", { person: "ada" });

const replyOf = ({ fieldsJson }: { fieldsJson: string }) => JSON.parse(fieldsJson).reply;

test("a thread goes out in its order, each post as a reply to the one before", async () => {
  const stage = await onStage();
  const thread = JSON.stringify(["Second", { text: "Third", media: [1] }, "Fourth"]);
  const { upload, feed } = await stage.publish({
    description: "First",
    photo: [photo(), photo()],
    thread,
    first_comment: "A remark",
  });
  expect(upload).toMatchObject({
    status: "completed",
    parts: [
      { position: 1, kind: "post", status: "completed", text: "Second" },
      { position: 2, kind: "post", status: "completed", text: "Third" },
      { position: 3, kind: "post", status: "completed", text: "Fourth" },
      { position: 4, kind: "comment", status: "completed", text: "A remark" },
    ],
  });
  const [comment, fourth, third, second, first] = feed;
  expect(feed.map(({ text }) => text)).toEqual(["A remark", "Fourth", "Third", "Second", "First"]);
  expect(feed.map(({ media }) => media.length)).toEqual([0, 0, 1, 0, 1]);
  expect(feed.map(({ received }) => received)).toEqual([1, 1, 1, 1, 1]);
  const ids = upload.parts.map(({ platformPostId }: { platformPostId: string }) => platformPostId);
  const head = upload.metadata.videoId;
  expect(replyOf(first)).toBeUndefined();
  expect(replyOf(second)).toMatchObject({ root: { uri: head }, parent: { uri: head } });
  expect(replyOf(third)).toMatchObject({ root: { uri: head }, parent: { uri: ids[0] } });
  expect(replyOf(fourth)).toMatchObject({ root: { uri: head }, parent: { uri: ids[1] } });
  expect(replyOf(comment)).toMatchObject({ root: { uri: head }, parent: { uri: head } });
});
