import { describe, expect, test } from "vitest";
import type { ServerLimits } from "../../../src/platforms/login.ts";
import { check } from "../../../src/platforms/mastodon/check.ts";
import { countCharacters } from "../../../src/platforms/mastodon/text.ts";
import { image, NOW, type PostChange, video } from "../../support/network.ts";
import { post } from "./scripted.ts";

/** Source: mastodon/mastodon, `status_length_validator.rb` and its specs. */
test.each([
  ["Hello", 5],
  ["https://example.com/a?b=1", 23],
  ["See https://example.com/a. Yes", 4 + 23 + 5],
  ["(https://example.com)", 25],
  ["@ada@mastodon.test hi", 7],
  ["@ada hi", 7],
  ["mail ada@example.com", 20],
  ["example.com", 11],
  ["👩‍👩‍👧 é", 3],
  ["https://example.com/@ada@mastodon.test", 23],
])("%j has %i characters", (text, count) => {
  expect(countCharacters(text, 23)).toBe(count);
});

test("counts long runs of one character", () => {
  const run = "x".repeat(60_000);
  expect(countCharacters(run, 23)).toBe(60_000);
  expect(countCharacters(`https://x${".".repeat(60_000)}x`, 23)).toBe(23);
});

const fieldsOf = (change: PostChange, serverLimits?: ServerLimits) =>
  check(post(change), { now: NOW, ...(serverLimits ? { serverLimits } : {}) }).map(
    ({ field }) => field,
  );

describe("what a server takes is what its accounts may send", () => {
  test.each<[string, PostChange, ServerLimits | undefined, string[]]>([
    ["500 characters", { description: "x".repeat(500) }, undefined, []],
    ["501 characters", { description: "x".repeat(501) }, undefined, ["description"]],
    ["501 of a title", { title: "x".repeat(501), description: null }, undefined, ["title"]],
    [
      "5,000 where they are taken",
      { description: "x".repeat(5_000) },
      { postCharacters: 5_000 },
      [],
    ],
    ["4 where they are not", { description: "xxxx" }, { postCharacters: 3 }, ["description"]],
    ["five images", { media: Array(5).fill(image()) }, undefined, ["photo"]],
    ["five where they are taken", { media: Array(5).fill(image()) }, { maxFiles: 6 }, []],
    [
      "a large image",
      { media: [image({ sizeBytes: 2_000 })] },
      { imageMaxBytes: 1_000 },
      ["photo"],
    ],
    [
      "a type that the server refuses",
      { media: [image({ mime: "image/webp" })] },
      { mimeTypes: ["image/jpeg"] },
      ["photo"],
    ],
    ["a video beside an image", { media: [image(), video()] }, undefined, ["video"]],
    [
      "an alt text of 1,501",
      { media: [image({ altText: "x".repeat(1_501) })] },
      undefined,
      ["alt_text"],
    ],
    [
      "five choices",
      { settings: { mastodon_poll_options: "a,b,c,d,e" } },
      undefined,
      ["mastodon_poll_options"],
    ],
    [
      "five where they are taken",
      { settings: { mastodon_poll_options: "a,b,c,d,e" } },
      { pollOptions: 10 },
      [],
    ],
    [
      "two equal choices",
      { settings: { mastodon_poll_options: "a,a" } },
      undefined,
      ["mastodon_poll_options"],
    ],
    [
      "a minute",
      { settings: { mastodon_poll_options: "a,b", mastodon_poll_duration_minutes: "1" } },
      undefined,
      ["mastodon_poll_duration_minutes"],
    ],
    [
      "more points than files",
      { media: [image()], settings: { mastodon_focus: ["0,0", "1,1"] } },
      undefined,
      ["mastodon_focus"],
    ],
  ])("%s", (_, change, limits, expected) => {
    expect(fieldsOf(change, limits)).toEqual(expected);
  });
});
