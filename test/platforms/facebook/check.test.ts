import { describe, expect, test } from "vitest";
import type { Post, PostMedia, VideoFacts } from "../../../src/platforms/connector.ts";
import { check, messageOf, shapeOf } from "../../../src/platforms/facebook/check.ts";
import type { FacebookSettings } from "../../../src/platforms/facebook/settings.ts";
import { refusedReel } from "../../../src/platforms/facebook/video-rules.ts";
import { FACTS, image, type PostChange, post, video } from "./scripted.ts";

/** A file behind a URL. */
const unknown = (kind: "image" | "video"): PostMedia => ({
  kind,
  mime: null,
  sizeBytes: null,
  width: null,
  height: null,
});

type Change = Omit<PostChange, "media"> & { media?: PostMedia[] };

const whole = ({ media, ...change }: Change): Post<FacebookSettings> => ({
  ...post(change),
  ...(media ? { media } : {}),
});

function fieldsOf(change: Change): string[] {
  return check(whole(change)).map(({ field, message }) => {
    expect(message).toMatch(/\.$/);
    return field;
  });
}

const many = (count: number): PostMedia[] => Array.from({ length: count }, () => image());
const reel = { media_type: "REELS" };

describe("takes", () => {
  test.each<[string, Change]>([
    ["a text", {}],
    ["a text of 63,206 characters", { description: "x".repeat(63_206) }],
    ["a photo without words", { media: [image()], description: null }],
    ["a title of 255 characters", { media: [image()], title: "x".repeat(255) }],
    ["an album of 2", { media: many(2) }],
    ["an album of 10", { media: many(10) }],
    [
      "JPEG, PNG, GIF and WebP",
      { media: ["jpeg", "png", "gif", "webp"].map((type) => image({ mime: `image/${type}` })) },
    ],
    ["an image of 4 MB", { media: [image({ sizeBytes: 4_000_000 })] }],
    ["a video of 1 GB", { media: [video({ sizeBytes: 1_000_000_000 })] }],
    ["a QuickTime reel", { media: [video({ mime: "video/quicktime" })], settings: reel }],
    ["a file behind a URL, whatever it is", { media: [unknown("image")], settings: reel }],
    [
      "a link and a label that mean nothing",
      { media: [video()], settings: { link: "https://a.com", is_aigc: "1" } },
    ],
  ])("%s", (_, change) => {
    expect(fieldsOf(change)).toEqual([]);
  });
});

describe("refuses", () => {
  test.each<[string, Change, string[]]>([
    ["no words at all", { description: null }, ["description"]],
    ["a text that is only a title", { description: " ", title: "x" }, ["description"]],
    ["63,207 characters", { description: "x".repeat(63_207) }, ["description"]],
    ["a title of 256 characters", { title: "x".repeat(256) }, ["title"]],
    ["an album of 11", { media: many(11) }, ["photo"]],
    ["a video in an album", { media: [image(), video()] }, ["photo"]],
    ["another image type", { media: [image({ mime: "image/tiff" })] }, ["photo"]],
    ["an image of more than 4 MB", { media: [image({ sizeBytes: 4_000_001 })] }, ["photo"]],
    ["a WebM video", { media: [video({ mime: "video/webm" })] }, ["video"]],
    ["a video of more than 1 GB", { media: [video({ sizeBytes: 1_000_000_001 })] }, ["video"]],
    ["a document", { media: [image({ kind: "document", mime: "application/pdf" })] }, ["photo"]],
    ["an image called REELS", { media: [image()], settings: reel }, ["media_type"]],
    [
      "an album called VIDEO",
      { media: many(2), settings: { media_type: "VIDEO" } },
      ["media_type"],
    ],
    [
      "everything at once",
      { title: "x".repeat(256), media: [...many(10), video()], settings: reel },
      ["title", "photo", "photo", "media_type"],
    ],
  ])("%s", (_, change, fields) => {
    expect(fieldsOf(change)).toEqual(fields);
  });

  test("with the limit and the count", () => {
    expect(check(whole({ description: "x".repeat(63_207) }))[0]?.message).toBe(
      "Shorten the description: Facebook takes 63,206 characters, it has 63,207.",
    );
  });
});

test.each<[Change, string]>([
  [{}, "text"],
  [{ settings: reel }, "text"],
  [{ media: [image()] }, "photo"],
  [{ media: many(2) }, "album"],
  [{ media: [video()] }, "video"],
  [{ media: [video()], settings: reel }, "reel"],
  [{ media: [unknown("image")] }, "photo"],
  [{ media: [unknown("image")], settings: reel }, "reel"],
])("%j is a %s", (change, shape) => {
  expect(shapeOf(whole(change))).toBe(shape);
});

test.each([
  ["D", "T", "D"],
  [" ", "T", "T"],
  [null, null, ""],
])("description %j and title %j say %j", (description, title, message) => {
  expect(messageOf({ description, title })).toBe(message);
});

describe("a reel's file", () => {
  test.each<[Partial<VideoFacts>, RegExp | null]>([
    [{}, null],
    [{ durationSeconds: 3, framesPerSecond: 24, width: 540, height: 960 }, null],
    [{ durationSeconds: 90.04, framesPerSecond: 60.02, width: 1_088, height: 1_920 }, null],
    [{ durationSeconds: null, framesPerSecond: 23.976, width: null }, null],
    [{ durationSeconds: 2.9 }, /lasts 2\.9 s; a Facebook reel lasts 3 to 90 s/],
    [{ durationSeconds: 90.1 }, /lasts 90\.1 s/],
    [{ framesPerSecond: 23 }, /23 frames a second; a Facebook reel has 24 to 60/],
    [{ framesPerSecond: 61 }, /61 frames/],
    [{ width: 1_920, height: 1_080 }, /1920 x 1080; a Facebook reel is 9:16/],
    [{ width: 1_080, height: 1_350 }, /9:16/],
    [{ width: 539, height: 959 }, /at least 540 x 960/],
  ])("%j", (change, refusal) => {
    const wording = refusedReel({ ...FACTS, ...change });
    if (refusal === null) expect(wording).toBeNull();
    else expect(wording).toMatch(refusal);
  });

  test("has to be readable", () => {
    expect(refusedReel(null)).toMatch(/cannot be read/);
  });
});
