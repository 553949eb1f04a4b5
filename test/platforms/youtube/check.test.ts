import { expect, test } from "vitest";
import { check } from "../../../src/platforms/youtube/check.ts";
import { fitTags } from "../../../src/platforms/youtube/metadata.ts";
import { image, type JobChange, NOW, post, video } from "./scripted.ts";

const behindUrl = { mime: null, sizeBytes: null };

test.each<[string, JobChange]>([
  ["a video with a title", {}],
  ["the title in its own field", { title: null, settings: { youtube_title: "Look" } }],
  ["a title of 100 characters", { title: "x".repeat(100) }],
  ["a description of 5,000 characters", { description: "x".repeat(5_000) }],
  ["a description of 5,000 bytes", { description: "é".repeat(2_500) }],
  [
    "its own fields in place of others that are too long",
    {
      title: "x".repeat(101),
      description: "<",
      settings: { youtube_title: "x", youtube_description: "y" },
    },
  ],
  ["a video of 256 GB", { media: [video({ sizeBytes: 274_877_906_944 })] }],
  ["a QuickTime video", { media: [video({ mime: "video/quicktime" })] }],
  ["a WebM video", { media: [video({ mime: "video/webm" })] }],
  ["images beside a video", { media: [image(), video(), image()] }],
  ["a thumbnail of 2 MB", { thumbnail: image({ sizeBytes: 2_097_152 }) }],
  ["a PNG thumbnail", { thumbnail: image({ mime: "image/png" }) }],
  ["a date in a second", { settings: { scheduledDate: "2026-12-01T09:00:01Z" } }],
  ["a date in 365 days", { settings: { scheduledDate: "2027-12-01T09:00:00Z" } }],
  ["more tags than YouTube takes", { settings: { tags: `a,${"x".repeat(600)}` } }],
])("takes %s", (_, change) => {
  expect(check(post(change), { now: NOW })).toEqual([]);
});

test("takes what is not known yet, because it is behind a URL", () => {
  const unknown = { ...image(), ...behindUrl };
  expect(check({ ...post(), media: [unknown], thumbnail: unknown }, { now: NOW })).toEqual([]);
});

test.each<[string, JobChange, string, string]>([
  ["no title", { title: null }, "title", "Write a title"],
  ["a title of 101 characters", { title: "x".repeat(101) }, "title", "100 characters, it has 101"],
  ["< in the title", { title: "a<b" }, "title", "< and >"],
  ["> in its own title", { settings: { youtube_title: "a>b" } }, "youtube_title", "< and >"],
  [
    "a description of 5,001 characters",
    { description: "x".repeat(5_001) },
    "description",
    "5,000 characters, it has 5,001",
  ],
  [
    "a description of 5,001 bytes",
    { description: `x${"é".repeat(2_500)}` },
    "description",
    "5,000 bytes, it has 5,001",
  ],
  [
    "> in its own description",
    { settings: { youtube_description: ">" } },
    "youtube_description",
    "< and >",
  ],
  ["no media", { media: [] }, "video", "no post without"],
  ["images alone", { media: [image()] }, "video", "images are not used"],
  ["two videos", { media: [video(), video()] }, "video", "2 were sent"],
  ["an AVI", { media: [video({ mime: "video/x-msvideo" })] }, "video", "video/x-msvideo"],
  [
    "a video above 256 GB",
    { media: [video({ sizeBytes: 274_877_906_945 })] },
    "video",
    "274,877,906,944",
  ],
  [
    "a document beside the video",
    { media: [video(), image({ kind: "document", mime: "application/pdf" })] },
    "file",
    "no documents",
  ],
  ["a WebP thumbnail", { thumbnail: image({ mime: "image/webp" }) }, "thumbnail", "JPEG or PNG"],
  [
    "a thumbnail above 2 MB",
    { thumbnail: image({ sizeBytes: 2_097_153 }) },
    "thumbnail",
    "2,097,152",
  ],
  [
    "a date that is now",
    { settings: { scheduledDate: "2026-12-01T09:00:00Z" } },
    "scheduledDate",
    "future",
  ],
  [
    "a date in 365 days and a second",
    { settings: { scheduledDate: "2027-12-01T09:00:01Z" } },
    "scheduledDate",
    "365 days",
  ],
  [
    "countries both allowed and blocked",
    { settings: { allowedCountries: "DE", blockedCountries: "AT" } },
    "blockedCountries",
    "not both",
  ],
])("refuses %s", (_, change, field, wording) => {
  expect(check(post(change), { now: NOW })).toEqual([
    { field, message: expect.stringContaining(wording) },
  ]);
});

const x = (count: number) => "x".repeat(count);

test.each<[string, string[], number]>([
  ["500 characters", [x(249), x(250)], 2],
  ["501 characters with the comma", [x(250), x(250)], 1],
  ["500 characters with quotes", [`${x(248)} y`, x(247)], 2],
  ["501 characters with quotes", [`${x(248)} y`, x(248)], 1],
  ["one that is too long", [x(501), "a"], 0],
  ["nothing after the overflow", ["a", x(600), "b"], 1],
])("of tags with %s the first that fit are kept", (_, tags, kept) => {
  expect(fitTags(tags)).toEqual(tags.slice(0, kept));
});

test.each([
  ["2026-12-05T08:59:59Z", []],
  ["2026-12-05T09:00:00Z", ["scheduledDate"]],
])("a video for 9 o'clock that is uploaded at %s", (at, fields) => {
  const target = { now: NOW, platformAccountId: "UC1", at: new Date(at) };
  const planned = post({ settings: { scheduledDate: "2026-12-05T09:00:00Z" } });
  expect(check(planned, target).map(({ field }) => field)).toEqual(fields);
});
