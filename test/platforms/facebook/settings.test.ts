import { expect, test } from "vitest";
import { settings } from "../../../src/platforms/facebook/settings.ts";

test("everything left out has its default", () => {
  const defaults = { link: null, media_type: null, is_aigc: false };
  expect(settings.read({}).values).toEqual(defaults);
  expect(settings.read({ link: "", media_type: " ", is_aigc: "" }).values).toEqual(defaults);
});

test.each([
  ["link", " https://example.com/ä ", "https://example.com/%C3%A4"],
  ["link", "http://example.com", "http://example.com/"],
  ["media_type", "reels", "REELS"],
  ["media_type", ["REELS", "video"], "VIDEO"],
  ["is_aigc", "1", true],
  ["is_aigc", "FALSE", false],
])("reads %s %j", (name, raw, value) => {
  expect(settings.read({ [name]: raw }).values).toMatchObject({ [name]: value });
});

test.each([
  ["link", "example.com", /is not a URL/],
  ["link", "ftp://example.com", /http or https/],
  ["link", "https://10.0.0.1/", /private network/],
  ["media_type", "STORIES", /REELS, VIDEO/],
  ["is_aigc", "yes", /true or false/],
])("refuses %s %j in words", (name, raw, message) => {
  expect(settings.read({ [name]: raw }).errors).toMatchObject([
    { field: name, message: expect.stringMatching(message) },
  ]);
});
