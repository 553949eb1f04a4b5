import { expect, test } from "vitest";
import { openStage, photo } from "../../support/stage.ts";
import { telegram } from "./row.ts";

const fields = () => ({
  description: "First",
  photo: [photo(), photo(), photo()],
  telegram_spoiler: "true",
  telegram_silent: "true",
  thread: JSON.stringify([{ text: "Second", media: [2] }, "Third"]),
});

test("a thread goes out as replies, and is taken down with every message of its album", async () => {
  const stage = await openStage("telegram", telegram);
  const { upload, calls, feed } = await stage.publish(fields());
  expect(upload).toMatchObject({
    status: "completed",
    parts: [{ status: "completed" }, { status: "completed" }],
  });
  expect(calls).toEqual(["sendMediaGroup", "sendPhoto", "sendMessage"]);
  expect(upload.metadata.videoId.split(",")).toHaveLength(2);
  expect(feed.map(({ text, replyTo }) => [text, replyTo])).toEqual([
    ["Third", feed[1].id],
    ["Second", feed[2].id],
    ["First", null],
  ]);
  expect(feed[1].fields).toMatchObject({ disable_notification: true });
  expect(feed[1].fields.has_spoiler).toBeUndefined();
  const { token } = stage.member;
  const { result, calls: removals } = await stage.watch(() =>
    stage.harness.call("POST", `/upload/${upload.id}/unpublish`, { token, json: {} }),
  );
  expect(result).toMatchObject({ status: 200 });
  expect(removals).toEqual(Array(3).fill("deleteMessages"));
  expect(await stage.feed()).toEqual([]);
});

test("a part whose answer is lost ends the thread, and is never sent again", async () => {
  const stage = await openStage("telegram", telegram);
  const thread = JSON.stringify(["Second [sandbox:lost_reply]", "Third"]);
  const { upload, feed } = await stage.publish({ description: "First", thread });
  expect(upload).toMatchObject({
    status: "completed",
    parts: [
      { status: "failed", failure: { code: "platform_processing_timeout" } },
      { status: "failed" },
    ],
  });
  expect(feed.map(({ text, received }) => [text, received])).toEqual([
    ["Second [sandbox:lost_reply]", 1],
    ["First", 1],
  ]);
});

test("a message is edited where it is, and a rehearsal leaves nothing", async () => {
  const stage = await openStage("telegram", telegram);
  const { upload } = await stage.publish({ description: "Frist" });
  const { token } = stage.member;
  const edited = await stage.harness.call("PATCH", `/upload/${upload.id}`, {
    token,
    json: { description: "First" },
  });
  expect(edited).toMatchObject({ status: 200 });
  expect((await stage.feed()).map(({ text }) => text)).toEqual(["First"]);
});

test("an album whose last answer says that a part failed is left to the person", async () => {
  const stage = await openStage("telegram", telegram);
  const { upload, calls } = await stage.publish(
    { description: "Two", photo: [photo(), photo()] },
    async ({ url }, answer) => {
      if (!url.pathname.endsWith("sendMediaGroup")) return answer();
      await answer();
      const description =
        'Bad Request: failed to send message #2 with the error message "Too Many Requests: retry after 8"';
      return Response.json({ ok: false, error_code: 400, description }, { status: 400 });
    },
  );
  expect(upload).toMatchObject({ status: "failed", failure: { nextAction: "check_platform" } });
  expect(calls).toEqual(["sendMediaGroup"]);
});
