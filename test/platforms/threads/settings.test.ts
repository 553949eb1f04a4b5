import { expect, test } from "vitest";
import { settings } from "../../../src/platforms/threads/settings.ts";

test.each([{}, { threads_alt_text: " ", threads_reply_control: "" }])(
  "left out or empty, a field has its default: %j",
  (raw) => {
    expect(settings.read(raw).values).toEqual({
      threads_alt_text: null,
      threads_reply_control: "everyone",
    });
  },
);

test.each([
  ["threads_alt_text", " A red square ", "A red square"],
  ["threads_reply_control", "accounts_you_follow", "accounts_you_follow"],
  ["threads_reply_control", "Mentioned_Only", "mentioned_only"],
  ["threads_reply_control", ["everyone", "followers_only"], "followers_only"],
  ["threads_reply_control", "parent_post_author_only", "parent_post_author_only"],
])("reads %s %j", (name, raw, value) => {
  expect(settings.read({ [name]: raw }).values).toMatchObject({ [name]: value });
});

test("refuses a reply control that there is not, in words", () => {
  const refused = settings.read({ threads_reply_control: "nobody" });
  expect(refused.errors).toMatchObject([
    {
      field: "threads_reply_control",
      message: expect.stringMatching(/must be one of everyone, .*; "nobody" was sent\./),
    },
  ]);
});

test("says of every field what it is", () => {
  expect(settings.infos).toMatchObject({
    threads_alt_text: { type: "string" },
    threads_reply_control: { values: expect.arrayContaining(["everyone", "followers_only"]) },
  });
});
