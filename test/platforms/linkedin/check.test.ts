import { expect, test } from "vitest";
import { check } from "../../../src/platforms/linkedin/check.ts";
import { settings } from "../../../src/platforms/linkedin/settings.ts";
import { type JobChange, pdf, photo, post, video } from "./scripted.ts";

const photos = (count: number) => Array.from({ length: count }, () => photo());
const TARGET = { now: new Date(0) };
const OFFICE = "application/vnd.openxmlformats-officedocument";

test.each<[string, JobChange]>([
  ["a text", {}],
  ["3,000 characters", { description: "x".repeat(3_000) }],
  ["3,000 bold characters", { description: `**${"x".repeat(3_000)}**` }],
  ["1,500 characters with a backslash each", { description: "(".repeat(1_500) }],
  ["1,000 hashtags, which have none", { description: "#a ".repeat(1_000) }],
  ["a title of 400", { title: "x".repeat(400) }],
  ["a photo without a text", { description: null, media: [photo()] }],
  ["20 photos", { media: photos(20) }],
  ["a PNG of 10 MB", { media: [photo({ mime: "image/png", sizeBytes: 10_000_000 })] }],
  ["a GIF", { media: [photo({ mime: "image/gif" })] }],
  ["36,152,319 pixels", { media: [photo({ width: 36_152_319, height: 1 })] }],
  ["a video of 75 KB", { description: null, media: [video({ sizeBytes: 75_000 })] }],
  ["a video of 500 MB", { media: [video({ sizeBytes: 500_000_000 })] }],
  ["a PDF of 100 MB", { media: [pdf({ sizeBytes: 100_000_000 })] }],
  ["a DOC", { media: [pdf({ mime: "application/msword" })] }],
  ["a DOCX", { media: [pdf({ mime: `${OFFICE}.wordprocessingml.document` })] }],
  ["a PPT", { media: [pdf({ mime: "application/vnd.ms-powerpoint" })] }],
  ["a PPTX", { media: [pdf({ mime: `${OFFICE}.presentationml.presentation` })] }],
  ["a document that is called one", { media: [pdf()], settings: { media_type: "DOCUMENT" } }],
  ["a person's post for connections", { settings: { visibility: "CONNECTIONS" } }],
])("takes %s", (_, change) => {
  expect(check(post(change), TARGET)).toEqual([]);
});

test.each<[string, JobChange, string, RegExp]>([
  ["no text", { description: null }, "description", /Write a description/],
  ["a blank text", { description: " \n" }, "description", /Write a description/],
  ["3,001 characters", { description: "x".repeat(3_001) }, "description", /3,000.*3,001/],
  ["3,001 bold ones", { description: `**${"x".repeat(3_001)}**` }, "description", /3,001/],
  ["an emoji too many", { description: `${"x".repeat(2_999)}😀` }, "description", /3,001/],
  ["1,501 characters with a backslash", { description: "_".repeat(1_501) }, "description", /3,002/],
  [
    "2,999 characters, of which two are escaped",
    { description: `${"x".repeat(2_997)}()` },
    "description",
    /3,001.*backslash/,
  ],
  ["a title of 401", { title: "x".repeat(401) }, "title", /400.*401/],
  ["21 photos", { media: photos(21) }, "photo", /20 images; 21/],
  ["a WebP", { media: [photo({ mime: "image/webp" })] }, "photo", /JPEG, PNG and GIF/],
  ["a photo above 10 MB", { media: [photo({ sizeBytes: 10_000_001 })] }, "photo", /10,000,001/],
  ["too many pixels", { media: [photo({ width: 36_152_320, height: 1 })] }, "photo", /36,152,320/],
  ["two videos", { media: [video(), video()] }, "video", /one video; 2/],
  ["a small video", { media: [video({ sizeBytes: 74_999 })] }, "video", /75,000 or more/],
  ["a large video", { media: [video({ sizeBytes: 500_000_001 })] }, "video", /500,000,000/],
  ["a QuickTime video", { media: [video({ mime: "video/quicktime" })] }, "video", /MP4/],
  ["a video and a photo", { media: [video(), photo()] }, "video", /not several/],
  ["a document and a photo", { media: [pdf(), photo()] }, "photo", /not several/],
  ["two documents", { media: [pdf(), pdf()] }, "photo", /one document; 2/],
  ["a large document", { media: [pdf({ sizeBytes: 100_000_001 })] }, "photo", /100,000,000/],
  ["a text file", { media: [pdf({ mime: "text/plain" })] }, "photo", /PDF, DOC/],
  ["a document alone", { description: null, media: [pdf()] }, "description", /without text/],
  ["DOCUMENT and no file", { settings: { media_type: "DOCUMENT" } }, "media_type", /needs/],
  [
    "a photo called a document",
    { media: [photo()], settings: { media_type: "DOCUMENT" } },
    "media_type",
    /does not fit/,
  ],
])("refuses %s", (_, change, field, wording) => {
  expect(check(post(change), TARGET)).toEqual([{ field, message: expect.stringMatching(wording) }]);
});

test.each([
  ["urn:li:organization:1", ["visibility"]],
  ["urn:li:person:1", []],
])("a post for the connections of %s", (platformAccountId, fields) => {
  const target = { ...TARGET, platformAccountId };
  const errors = check(post({ settings: { visibility: "CONNECTIONS" } }), target);
  expect(errors.map(({ field }) => field)).toEqual(fields);
});

test("does not judge what is still behind a URL", () => {
  const unknown = { mime: null, sizeBytes: null, width: null, height: null };
  const media = [{ kind: "image" as const, ...unknown }];
  const parsed = settings.read({ media_type: "DOCUMENT" }).values;
  expect(check({ title: null, description: null, media, settings: parsed }, TARGET)).toEqual([]);
});
