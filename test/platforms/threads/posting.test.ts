import { expect, test } from "vitest";
import { count, dieAfterChildren, jpeg, mp4, openStage, png } from "../../support/stage.ts";
import { PUBLISH, threads } from "./row.ts";

const onStage = () => openStage("threads", threads);

test("everyone may reply to a text that says nothing of it", async () => {
  const { feed } = await (await onStage()).publish({ title: "Only words" });
  expect(feed[0].fields).toEqual({ media_type: "TEXT", text: "Only words" });
});

test("the alt text of a carousel stands on its items alone", async () => {
  const fields = { photo: [jpeg(), png()], title: "Two", threads_alt_text: "All" };
  const { feed } = await (await onStage()).publish(fields);
  expect(feed[0].fields.items).toMatchObject([{ alt_text: "All" }, { alt_text: "All" }]);
  expect(feed[0].fields).not.toHaveProperty("alt_text");
});

test("a container that publishing does not find yet is published after a back-off, not made anew", async () => {
  const stage = await onStage();
  let published = 0;
  const { upload, calls, feed } = await stage.publish(
    { title: "Not there yet" },
    async (call, answer) => {
      if (threads.nameOf(call) !== PUBLISH || ++published > 1) return answer();
      const error = { message: "Media Not Found", code: 24, error_subcode: 4279009 };
      return Response.json({ error }, { status: 400 });
    },
  );
  expect(upload).toMatchObject({ status: "completed" });
  expect(count(calls, "POST threads")).toBe(1);
  expect(count(calls, PUBLISH)).toBe(2);
  expect(feed).toMatchObject([{ received: 1 }]);
});

test.each([
  ["text", {}],
  ["carousel", { photo: [jpeg(), png()] }],
])("a finished container that publishing never finds is made anew: %s", async (_, media) => {
  const stage = await onStage();
  const { upload, calls, feed } = await stage.publish({
    title: "Lost [sandbox:lost_container]",
    ...media,
  });
  expect(upload).toMatchObject({ status: "completed" });
  expect(count(calls, PUBLISH)).toBe(3);
  expect(feed).toMatchObject([{ received: 1, url: upload.metadata.shareUrl }]);
});

test("a publishing that broke off after it took effect is found, not repeated", async () => {
  const stage = await onStage();
  const { upload, calls, feed } = await stage.publish(
    { title: "Twice is once too often" },
    async (call, answer) => {
      const reply = await answer();
      return threads.nameOf(call) === PUBLISH ? new Response("<html>", { status: 502 }) : reply;
    },
  );
  expect(upload).toMatchObject({ status: "completed" });
  expect(count(calls, PUBLISH)).toBe(1);
  expect(feed).toMatchObject([{ received: 1, url: upload.metadata.shareUrl }]);
});

test("runs killed after each item of a carousel make no container twice", async () => {
  const stage = await onStage();
  const deaths = dieAfterChildren(stage, 3);
  const fields = { photo: [jpeg(), mp4(), png()], title: "Three" };
  const { upload, calls, feed } = await stage.publish(fields);
  expect(deaths()).toBe(3);
  expect(upload).toMatchObject({ status: "completed" });
  expect(count(calls, "POST threads")).toBe(4);
  expect(feed).toMatchObject([
    { received: 1, media: [{ kind: "image" }, { kind: "video" }, { kind: "image" }] },
  ]);
});
