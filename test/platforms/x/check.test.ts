import { expect, test } from "vitest";
import { capabilities } from "../../../src/platforms/x/capabilities.ts";
import { check } from "../../../src/platforms/x/check.ts";
import { videoProblem } from "../../../src/platforms/x/video-rules.ts";
import { FACTS, gif, image, type JobChange, post, video } from "./scripted.ts";

const images = (count: number) => Array.from({ length: count }, () => image());
const names = (count: number) => Array.from({ length: count }, (_, index) => `user${index}`);
const FIFTY_A_DAY = 50;

test("the daily cap is 50", () => {
  expect(capabilities.dailyPostCap).toBe(FIFTY_A_DAY);
});

test.each<[string, JobChange]>([
  ["text alone", {}],
  ["a description instead of a title", { title: " ", description: "Hello" }],
  ["a description of any length beside a title", { description: "x".repeat(400) }],
  ["280 characters", { title: "x".repeat(280) }],
  ["25,000 characters with x_premium", { title: "x".repeat(25_000), settings: { x_premium: "1" } }],
  ["an image without text", { title: null, media: images(1) }],
  ["four images", { media: images(4) }],
  ["an image of 5 MB", { media: [image({ sizeBytes: 5_000_000 })] }],
  ["a PNG and a WebP", { media: [image({ mime: "image/png" }), image({ mime: "image/webp" })] }],
  ["a GIF of 15 MB", { media: [gif({ sizeBytes: 15_000_000, width: 1_280, height: 1_080 })] }],
  ["a video of 1 GB", { media: [video({ sizeBytes: 1_000_000_000 })] }],
  ["a QuickTime video", { media: [video({ mime: "video/quicktime" })] }],
  [
    "1,000 characters beside an image",
    { media: images(1), settings: { x_alt_text: "é".repeat(1_000) } },
  ],
  ["10 tagged users", { media: images(2), settings: { x_tagged_users: names(10).join() } }],
  [
    "subtitles of a video",
    {
      media: [video()],
      settings: { x_subtitles_url: "https://example.com/a.srt", x_subtitles_language: "de" },
    },
  ],
  ["a poll of 2", { settings: { x_poll_options: `a,${"é".repeat(25)}` } }],
  ["a poll of 4", { settings: { x_poll_options: "a,b,c,d", x_poll_duration_minutes: "5" } }],
])("takes %s", (_, change) => {
  expect(check(post(change))).toEqual([]);
});

test.each<[string, JobChange, string]>([
  ["nothing", { title: null }, "title"],
  ["281 characters", { title: "x".repeat(281) }, "title"],
  ["281 of a description", { title: "", description: "x".repeat(281) }, "description"],
  ["25,001 with x_premium", { title: "x".repeat(25_001), settings: { x_premium: "1" } }, "title"],
  ["five images", { media: images(5) }, "photo"],
  ["an image above 5 MB", { media: [image({ sizeBytes: 5_000_001 })] }, "photo"],
  ["a BMP", { media: [image({ mime: "image/bmp" })] }, "photo"],
  ["a document", { media: [image({ kind: "document", mime: "application/pdf" })] }, "photo"],
  ["a GIF above 15 MB", { media: [gif({ sizeBytes: 15_000_001 })] }, "photo"],
  ["a GIF too wide", { media: [gif({ width: 1_281, height: 100 })] }, "photo"],
  ["a GIF too high", { media: [gif({ width: 100, height: 1_081 })] }, "photo"],
  ["a GIF beside an image", { media: [image(), gif()] }, "photo"],
  ["two videos", { media: [video(), video()] }, "video"],
  ["a video and an image", { media: [video(), image()] }, "video"],
  ["a video above 1 GB", { media: [video({ sizeBytes: 1_000_000_001 })] }, "video"],
  ["a WebM", { media: [video({ mime: "video/webm" })] }, "video"],
  [
    "1,001 characters beside an image",
    { media: images(1), settings: { x_alt_text: "é".repeat(1_001) } },
    "x_alt_text",
  ],
  [
    "alternative text of a video",
    { media: [video()], settings: { x_alt_text: "a" } },
    "x_alt_text",
  ],
  ["alternative text of nothing", { settings: { x_alt_text: "a" } }, "x_alt_text"],
  [
    "11 tagged users",
    { media: images(1), settings: { x_tagged_users: names(11).join() } },
    "x_tagged_users",
  ],
  ["tags in a video", { media: [video()], settings: { x_tagged_users: "ada" } }, "x_tagged_users"],
  ["tags in nothing", { settings: { x_tagged_users: "ada" } }, "x_tagged_users"],
  [
    "subtitles of an image",
    { media: images(1), settings: { x_subtitles_url: "https://example.com/a.srt" } },
    "x_subtitles_url",
  ],
  [
    "subtitles of nothing",
    { settings: { x_subtitles_url: "https://example.com/a.srt" } },
    "x_subtitles_url",
  ],
  [
    "a language without subtitles",
    { media: [video()], settings: { x_subtitles_language: "EN" } },
    "x_subtitles_language",
  ],
  ["one choice", { settings: { x_poll_options: "a" } }, "x_poll_options"],
  ["five choices", { settings: { x_poll_options: "a,b,c,d,e" } }, "x_poll_options"],
  [
    "a choice of 26 characters",
    { settings: { x_poll_options: `a,${"x".repeat(26)}` } },
    "x_poll_options",
  ],
  [
    "a poll beside an image",
    { media: images(1), settings: { x_poll_options: "a,b" } },
    "x_poll_options",
  ],
  ["a poll without a question", { title: "", settings: { x_poll_options: "a,b" } }, "title"],
  [
    "a duration without choices",
    { settings: { x_poll_duration_minutes: "60" } },
    "x_poll_duration_minutes",
  ],
])("refuses %s", (_, change, field) => {
  expect(check(post(change)).map((error) => error.field)).toEqual([field]);
});

test("says the limit, the count, and what would help", () => {
  expect(check(post({ title: "漢".repeat(141) }))).toEqual([
    {
      field: "title",
      message:
        "Shorten the text: X takes 280 characters (a link counts 23, emoji and CJK count 2), it has 282; with x_premium up to 25,000.",
    },
  ]);
});

test("what is still behind a URL is not judged by its type or size", () => {
  const unknown = { mime: null, sizeBytes: null, width: null, height: null };
  const media = [{ kind: "image" as const, ...unknown }];
  expect(check({ ...post({ settings: { x_alt_text: "a" } }), media })).toEqual([]);
});

test.each<[string, Partial<typeof FACTS>, boolean]>([
  ["what phones make", {}, false],
  ["silence", { audioCodec: null }, false],
  ["MOV", { container: "mov" }, false],
  ["60 frames a second", { framesPerSecond: 60.04 }, false],
  ["half a second", { durationSeconds: 0.5 }, false],
  ["20 minutes", { durationSeconds: 1_200 }, false],
  ["125 minutes with x_premium", { durationSeconds: 7_500 }, true],
  ["32 x 32", { width: 32, height: 32 }, false],
  ["3:1", { width: 1_200, height: 400 }, false],
  ["more than 1280 x 1024, which is up to the account", { width: 3_840, height: 2_160 }, false],
  ["what says nothing", { durationSeconds: null, framesPerSecond: null, width: null }, false],
])("a video of %s is taken", (_, change, isPremium) => {
  expect(videoProblem({ ...FACTS, ...change }, isPremium)).toBeNull();
});

test.each<[string, Partial<typeof FACTS> | null, boolean, RegExp]>([
  ["nothing readable", null, false, /not a readable video/],
  ["WebM", { container: "webm" }, false, /is webm; X takes MP4 and MOV/],
  ["HEVC", { videoCodec: "hevc" }, false, /encoded as hevc; X takes H\.264/],
  ["no known codec", { videoCodec: null }, false, /something unknown/],
  ["Opus", { audioCodec: "opus" }, false, /sound is encoded as opus/],
  ["61 frames a second", { framesPerSecond: 61 }, false, /61 frames/],
  ["0.4 seconds", { durationSeconds: 0.4 }, false, /0\.5 or more/],
  ["1,200.1 seconds", { durationSeconds: 1_200.1 }, false, /20 minutes, with x_premium 125/],
  ["7,500.1 with x_premium", { durationSeconds: 7_500.1 }, true, /up to 125 minutes\.$/],
  ["31 pixels", { width: 31, height: 31 }, false, /32 pixels/],
  ["3.1:1", { width: 1_240, height: 400 }, false, /ratios from 1:3 to 3:1/],
  ["1:3.1", { width: 400, height: 1_240 }, false, /ratios/],
])("a video of %s is refused", (_, change, isPremium, wording) => {
  expect(videoProblem(change && { ...FACTS, ...change }, isPremium)).toMatch(wording);
});
