import { expect, test } from "vitest";
import { settings } from "../../../src/platforms/discord/settings.ts";

test("by default, everything is off", () => {
  expect(settings.read({}).values).toEqual({
    discord_thread_id: null,
    discord_tags: [],
    discord_suppress_embeds: false,
    discord_silent: false,
    discord_mentions: [],
  });
});

test("mentions are opted in one by one", () => {
  expect(settings.read({ discord_mentions: "Users, everyone" }).values.discord_mentions).toEqual([
    "users",
    "everyone",
  ]);
});

test.each([
  ["discord_mentions", "here"],
  ["discord_tags", "1,2,3,4,5,6"],
  ["discord_tags", "news"],
  ["discord_thread_id", "the thread"],
  ["discord_silent", "perhaps"],
])("%s is not %s", (field, value) => {
  const { errors } = settings.read({ [field]: value });
  expect(errors.map((one) => one.field)).toEqual([field]);
});
