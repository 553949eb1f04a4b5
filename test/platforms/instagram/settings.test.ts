import { expect, test } from "vitest";
import { settings } from "../../../src/platforms/instagram/settings.ts";

test("everything left out has its default", () => {
  expect(settings.read({}).values).toEqual({
    media_type: null,
    cover_url: null,
    thumb_offset: null,
    location_id: null,
    collaborators: [],
    user_tags: [],
    share_to_feed: true,
    trial_reel: null,
    audio_name: null,
    is_aigc: false,
  });
});

test("an empty string counts as left out", () => {
  const names = Object.keys(settings.infos);
  const empty = Object.fromEntries(names.map((name) => [name, ""]));
  expect(settings.read(empty).values).toEqual(settings.read({}).values);
});

test.each([
  ["media_type", "stories", "STORIES"],
  ["media_type", ["IMAGE", "Reels"], "REELS"],
  ["trial_reel", "AUTO", "auto"],
  ["share_to_feed", "False", false],
  ["share_to_feed", "0", false],
  ["is_aigc", "1", true],
  ["is_aigc", "TRUE", true],
  ["thumb_offset", "1500", 1_500],
  ["location_id", "7640348500", "7640348500"],
  ["collaborators", " @ada, bob_1 ,,ADA", ["ADA", "bob_1"]],
  ["user_tags", ["@a.b", "c"], ["a.b", "c"]],
  ["user_tags", '["@a.b","c"]', ["a.b", "c"]],
  ["cover_url", "https://example.com/ä.jpg", "https://example.com/%C3%A4.jpg"],
  ["audio_name", " My song ", "My song"],
])("reads %s %j", (name, raw, value) => {
  expect(settings.read({ [name]: raw }).values).toMatchObject({ [name]: value });
});

test.each([
  ["media_type", "CAROUSEL", /IMAGE, VIDEO, REELS, STORIES/],
  ["trial_reel", "yes", /manual, auto/],
  ["share_to_feed", "maybe", /true or false/],
  ["is_aigc", "2", /true or false/],
  ["thumb_offset", "1.5", /whole number/],
  ["thumb_offset", "-1", /whole number/],
  ["location_id", "Berlin", /numeric id/],
  ["collaborators", "ada,b c", /"b c" is not an Instagram username/],
  ["user_tags", "a-b", /"a-b" is not an Instagram username/],
  ["cover_url", "http://example.com/a.jpg", /must be an https URL/],
  ["cover_url", "https://127.0.0.1/a.jpg", /private network/],
  ["cover_url", "cover.jpg", /is not a URL/],
])("refuses %s %j in words", (name, raw, message) => {
  const refused = settings.read({ [name]: raw });
  expect(refused.errors).toMatchObject([{ field: name, message: expect.stringMatching(message) }]);
});

test("tells every refused field at once", () => {
  const refused = settings.read({ media_type: "x", is_aigc: "x", location_id: "x" });
  expect(refused.errors).toHaveLength(3);
});
