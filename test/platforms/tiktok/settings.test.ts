import { expect, test } from "vitest";
import { isForInbox, settings } from "../../../src/platforms/tiktok/settings.ts";

const DEFAULTS = {
  privacy_level: "PUBLIC_TO_EVERYONE",
  disable_comment: false,
  disable_duet: false,
  disable_stitch: false,
  brand_content_toggle: false,
  brand_organic_toggle: false,
  is_aigc: false,
  auto_add_music: false,
  video_cover_timestamp_ms: null,
  photo_cover_index: null,
  post_mode: "DIRECT_POST",
};

test("fields that are not sent, or sent empty, are unset", () => {
  expect(settings.read({}).values).toEqual(DEFAULTS);
  const empty = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, ""]));
  expect(settings.read(empty).values).toEqual(DEFAULTS);
});

test.each([
  ["true", true],
  ["TRUE", true],
  ["1", true],
  ["False", false],
  ["0", false],
])("reads %s as a boolean", (text, value) => {
  for (const name of ["disable_comment", "is_aigc", "auto_add_music"]) {
    expect(settings.read({ [name]: text }).values).toMatchObject({ [name]: value });
  }
});

test("of a repeated field the last one counts", () => {
  expect(
    settings.read({ privacy_level: ["SELF_ONLY", "MUTUAL_FOLLOW_FRIENDS"] }).values,
  ).toMatchObject({
    privacy_level: "MUTUAL_FOLLOW_FRIENDS",
  });
});

test.each(["DRAFT", "MEDIA_UPLOAD"])("%s goes to the inbox", (post_mode) => {
  expect(isForInbox(settings.read({ post_mode }).values)).toBe(true);
});

test.each([
  ["privacy_level", "EVERYBODY", "PUBLIC_TO_EVERYONE, MUTUAL_FOLLOW_FRIENDS"],
  ["post_mode", "LATER", "DIRECT_POST, DRAFT, MEDIA_UPLOAD"],
  ["disable_duet", "yes", "true or false"],
  ["brand_organic_toggle", "2", "true or false"],
  ["video_cover_timestamp_ms", "-1", "whole number from 0"],
  ["video_cover_timestamp_ms", "1.5", "whole number from 0"],
  ["video_cover_timestamp_ms", "2147483648", "whole number from 0"],
  ["photo_cover_index", "0", "whole number from 1"],
  ["photo_cover_index", "first", "whole number from 1"],
])("refuses %s=%s and says what is allowed", (name, value, allowed) => {
  const parsed = settings.read({ [name]: value });
  expect(parsed.errors).toMatchObject([{ field: name, message: expect.stringContaining(allowed) }]);
});
