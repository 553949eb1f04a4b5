import { expect, test } from "vitest";
import { check, photoTexts, videoCaption } from "../../../src/platforms/tiktok/check.ts";
import { settings } from "../../../src/platforms/tiktok/settings.ts";
import { type JobChange, photo, post, video } from "./scripted.ts";

const photos = (count: number) => Array.from({ length: count }, () => photo());

test.each<[string, JobChange]>([
  ["a video with a title", {}],
  ["a caption of 2,200 characters", { title: "x".repeat(2_200) }],
  [
    "title and description of 2,200 together",
    { title: "x".repeat(1_000), description: "y".repeat(1_199) },
  ],
  ["a video of 4 GB", { media: [video({ sizeBytes: 4_000_000_000 })] }],
  ["a QuickTime video", { media: [video({ mime: "video/quicktime" })] }],
  ["a WebM video", { media: [video({ mime: "video/webm" })] }],
  ["35 photos", { media: photos(35) }],
  ["a WebP of 20 MB", { media: [photo({ mime: "image/webp", sizeBytes: 20_000_000 })] }],
  ["photos with a long title", { media: photos(1), title: "x".repeat(3_000) }],
  ["photos with 4,000 characters", { media: photos(1), description: "x".repeat(4_000) }],
  ["the last photo as cover", { media: photos(2), settings: { photo_cover_index: "2" } }],
])("takes %s", (_, change) => {
  expect(check(post(change))).toEqual([]);
});

test.each<[string, JobChange, string]>([
  ["no title", { title: null, description: "Text" }, "title"],
  ["a blank title", { title: " \n" }, "title"],
  ["a caption of 2,201 characters", { title: "x".repeat(2_201) }, "title"],
  [
    "title and description of 2,201 together",
    { title: "x".repeat(1_000), description: "y".repeat(1_200) },
    "description",
  ],
  [
    "photos with 4,001 characters",
    { media: photos(1), description: "x".repeat(4_001) },
    "description",
  ],
  ["no media", { media: [] }, "video"],
  ["two videos", { media: [video(), video()] }, "video"],
  ["a video and a photo", { media: [video(), photo()] }, "video"],
  ["an AVI", { media: [video({ mime: "video/x-msvideo" })] }, "video"],
  ["a video above 4 GB", { media: [video({ sizeBytes: 4_000_000_001 })] }, "video"],
  ["36 photos", { media: photos(36) }, "photo"],
  ["a PNG", { media: [photo({ mime: "image/png" })] }, "photo"],
  ["a GIF", { media: [photo({ mime: "image/gif" })] }, "photo"],
  ["a photo above 20 MB", { media: [photo({ sizeBytes: 20_000_001 })] }, "photo"],
  ["a document", { media: [photo({ kind: "document", mime: "application/pdf" })] }, "photo"],
  [
    "a cover beyond the photos",
    { media: photos(1), settings: { photo_cover_index: "2" } },
    "photo_cover_index",
  ],
  [
    "private branded content",
    { settings: { brand_content_toggle: "true", privacy_level: "SELF_ONLY" } },
    "brand_content_toggle",
  ],
])("refuses %s", (_, change, field) => {
  expect(check(post(change)).map((error) => error.field)).toEqual([field]);
});

test("tells everything at once", () => {
  const media = [photo({ mime: "image/png" }), photo({ sizeBytes: 30_000_000 }), video()];
  const fields = check(post({ title: null, media })).map((error) => error.field);
  expect(fields).toEqual(["title", "photo", "photo", "video"]);
});

test("does not judge what is still behind a URL", () => {
  const unknown = { mime: null, sizeBytes: null, width: null, height: null };
  for (const kind of ["image", "video"] as const) {
    const media = [{ kind, ...unknown }];
    expect(
      check({ title: "Look", description: null, media, settings: settings.read({}).values }),
    ).toEqual([]);
  }
});

test("joins title and description of a video with a newline", () => {
  expect(videoCaption({ title: "One", description: "Two" })).toBe("One\nTwo");
  expect(videoCaption({ title: "One", description: " " })).toBe("One");
});

const emoji = `${"x".repeat(89)}😀`;
const long = "y".repeat(91);

test.each<[string, { title: string; description: string | null }, object]>([
  ["a title of 90", { title: "x".repeat(90), description: null }, { title: "x".repeat(90) }],
  [
    "a title and a text",
    { title: "One", description: "Two" },
    { title: "One", description: "Two" },
  ],
  [
    "a longer title",
    { title: long, description: " " },
    { title: "y".repeat(90), description: long },
  ],
  [
    "a longer title and a text",
    { title: long, description: "Two" },
    { title: "y".repeat(90), description: `${long}\nTwo` },
  ],
  [
    "a title that would be cut through a character",
    { title: emoji, description: null },
    { title: "x".repeat(89), description: emoji },
  ],
  [
    "a longer title beside as much text as there is room for",
    { title: long, description: "z".repeat(4_000) },
    { title: "y".repeat(90), description: "z".repeat(4_000) },
  ],
  [
    "a title that is longer than any text",
    { title: "y".repeat(4_001), description: null },
    { title: "y".repeat(90), description: "y".repeat(4_000) },
  ],
])("photos have %s as title and description", (_, texts, expected) => {
  expect(photoTexts(texts)).toEqual({ description: "", ...expected });
});
