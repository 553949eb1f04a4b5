import { expect, test } from "vitest";
import { settings } from "../../../src/platforms/x/settings.ts";

const DEFAULTS = {
  x_reply_settings: "everyone",
  x_made_with_ai: false,
  x_paid_partnership: false,
  x_super_followers_only: false,
  x_premium: false,
  x_share_with_followers: false,
  x_alt_text: null,
  x_tagged_users: [],
  x_subtitles_url: null,
  x_subtitles_language: null,
  x_poll_options: [],
  x_poll_duration_minutes: null,
  x_community_id: null,
};

test("everything may be left out, or blank", () => {
  expect(settings.read({}).values).toEqual(DEFAULTS);
  const blank = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, " "]));
  expect(settings.read(blank).values).toEqual(DEFAULTS);
});

test("what belongs to others is not kept", () => {
  expect(settings.read({ title: "Hello", privacy_level: "SELF_ONLY" }).values).toEqual(DEFAULTS);
});

test("every field is told of", () => {
  expect(Object.keys(settings.infos)).toEqual(Object.keys(DEFAULTS));
  for (const { description } of Object.values(settings.infos)) {
    expect(description).toMatch(/\.$/);
  }
});

test.each<[string, string | string[], unknown]>([
  ["x_reply_settings", "mentionedusers", "mentionedUsers"],
  ["x_reply_settings", "verified", "verified"],
  ["x_made_with_ai", "1", true],
  ["x_premium", "TRUE", true],
  ["x_tagged_users", "@Ada, grace,ADA", ["ADA", "grace"]],
  ["x_tagged_users", '["ada","grace"]', ["ada", "grace"]],
  ["x_tagged_users", ["ada", "grace"], ["ada", "grace"]],
  ["x_subtitles_url", "https://example.com/a b.srt", "https://example.com/a%20b.srt"],
  ["x_subtitles_language", "de", "DE"],
  ["x_poll_options", "Yes, No", ["Yes", "No"]],
  ["x_poll_options", '["Yes, please","No"]', ["Yes, please", "No"]],
  ["x_poll_options", ["Yes, please", "No"], ["Yes, please", "No"]],
  ["x_poll_options", "same,same", ["same", "same"]],
  ["x_poll_duration_minutes", "5", 5],
  ["x_poll_duration_minutes", "10080", 10_080],
  ["x_community_id", "1493446837214187523", "1493446837214187523"],
])("%s %j is read as %j", (name, value, expected) => {
  expect(settings.read({ [name]: value }).values).toMatchObject({ [name]: expected });
});

test.each<[string, string]>([
  ["x_reply_settings", "friends"],
  ["x_made_with_ai", "yes"],
  ["x_tagged_users", "not a name"],
  ["x_tagged_users", "a".repeat(16)],
  ["x_subtitles_url", "http://example.com/a.srt"],
  ["x_subtitles_url", "https://10.0.0.1/a.srt"],
  ["x_subtitles_url", "here"],
  ["x_subtitles_language", "eng"],
  ["x_poll_duration_minutes", "4"],
  ["x_poll_duration_minutes", "10081"],
  ["x_community_id", "mine"],
  ["x_community_id", "1".repeat(20)],
])("%s %j is refused", (name, value) => {
  const parsed = settings.read({ [name]: value });
  expect(parsed.errors.map(({ field }) => field)).toEqual([name]);
});
