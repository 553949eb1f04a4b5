import { describe, expect, test } from "vitest";
import type { Post, PostMedia } from "../../../src/platforms/connector.ts";
import { check, countHashtags, countMentions } from "../../../src/platforms/instagram/check.ts";
import type { InstagramSettings } from "../../../src/platforms/instagram/settings.ts";
import { image, type PostChange, post, video } from "./scripted.ts";

/** A file behind a URL. */
const unknown = (kind: "image" | "video"): PostMedia => ({
  kind,
  mime: null,
  sizeBytes: null,
  width: null,
  height: null,
});

type Change = Omit<PostChange, "media"> & { media?: PostMedia[] };

function fieldsOf({ media, ...change }: Change): string[] {
  const whole: Post<InstagramSettings> = { ...post(change), ...(media ? { media } : {}) };
  return check(whole).map(({ field, message }) => {
    expect(message).toMatch(/\.$/);
    return field;
  });
}

const many = (count: number): PostMedia[] => Array.from({ length: count }, () => image());
const story = { media_type: "STORIES" };

describe("takes", () => {
  test.each<[string, Change]>([
    ["one image", {}],
    ["an image without a caption", { title: null }],
    ["a description in place of a title", { title: " ", description: "x" }],
    ["one video", { media: [video()] }],
    [
      "a QuickTime video as VIDEO",
      { media: [video({ mime: "video/quicktime" })], settings: { media_type: "VIDEO" } },
    ],
    ["a mixed carousel of 2", { media: [image(), video()] }],
    ["a carousel of 10", { media: many(10) }],
    [
      "a carousel of images that is called IMAGE",
      { media: many(3), settings: { media_type: "IMAGE" } },
    ],
    [
      "PNG, WebP and GIF",
      { media: ["png", "webp", "gif"].map((type) => image({ mime: `image/${type}` })) },
    ],
    ["an image of 8 MB", { media: [image({ sizeBytes: 8_000_000 })] }],
    ["a video of 300 MB", { media: [video({ sizeBytes: 300_000_000 })] }],
    ["2,200 characters", { title: "x".repeat(2_200) }],
    ["a trial reel", { media: [video()], settings: { trial_reel: "manual", audio_name: "x" } }],
    ["3 collaborators", { settings: { collaborators: "a,b,c" } }],
    ["a story of a JPEG", { settings: story }],
    [
      "a story with an endless caption, which is not sent",
      { title: "x".repeat(9_000), settings: story },
    ],
    [
      "a story of a video of 100 MB",
      { media: [video({ sizeBytes: 100_000_000 })], settings: story },
    ],
    [
      "a story with tags and the AI label",
      { settings: { ...story, user_tags: "a", is_aigc: "true" } },
    ],
    [
      "a file behind a URL, whatever it is",
      { media: [unknown("image")], settings: { media_type: "REELS", trial_reel: "auto" } },
    ],
    ["a story behind a URL", { media: [unknown("image")], settings: story }],
    [
      "cover and share_to_feed of a photo, which mean nothing",
      { settings: { cover_url: "https://a.com/b.jpg", share_to_feed: "false" } },
    ],
  ])("%s", (_, change) => {
    expect(fieldsOf(change)).toEqual([]);
  });
});

describe("refuses", () => {
  test.each<[string, Change, string[]]>([
    ["a post without media", { media: [] }, ["photo"]],
    ["a carousel of 11", { media: many(11) }, ["photo"]],
    ["2,201 characters", { title: "x".repeat(2_201) }, ["title"]],
    [
      "2,201 characters of a description",
      { title: null, description: "x".repeat(2_201) },
      ["description"],
    ],
    ["31 hashtags", { title: "#a ".repeat(31) }, ["title"]],
    ["21 mentions", { title: "@a ".repeat(21) }, ["title"]],
    ["an image of more than 8 MB", { media: [image({ sizeBytes: 8_000_001 })] }, ["photo"]],
    ["a video of more than 300 MB", { media: [video({ sizeBytes: 300_000_001 })] }, ["video"]],
    ["another image type", { media: [image({ mime: "image/tiff" })] }, ["photo"]],
    ["a WebM video", { media: [video({ mime: "video/webm" })] }, ["video"]],
    ["a document", { media: [image({ kind: "document", mime: "application/pdf" })] }, ["photo"]],
    [
      "a video called IMAGE",
      { media: [video()], settings: { media_type: "IMAGE" } },
      ["media_type"],
    ],
    ["an image called REELS", { settings: { media_type: "REELS" } }, ["media_type"]],
    [
      "a carousel called REELS",
      { media: [video(), video()], settings: { media_type: "REELS" } },
      ["media_type"],
    ],
    ["4 collaborators", { settings: { collaborators: "a,b,c,d" } }, ["collaborators"]],
    [
      "21 tags",
      { settings: { user_tags: Array.from({ length: 21 }, (_, n) => `a${n}`).join() } },
      ["user_tags"],
    ],
    ["a trial reel of a photo", { settings: { trial_reel: "auto" } }, ["trial_reel"]],
    [
      "a trial reel behind a URL in the photo field",
      { media: [unknown("image")], settings: { trial_reel: "auto" } },
      ["trial_reel"],
    ],
    [
      "a trial reel of a carousel",
      { media: [video(), video()], settings: { trial_reel: "auto" } },
      ["trial_reel"],
    ],
    [
      "a trial reel as a story",
      { media: [video()], settings: { ...story, trial_reel: "auto" } },
      ["trial_reel"],
    ],
    ["the audio name of a photo", { settings: { audio_name: "x" } }, ["audio_name"]],
    ["a story of two", { media: [image(), image()], settings: story }, ["photo"]],
    ["a story of nothing", { media: [], settings: story }, ["photo"]],
    ["a story of a PNG", { media: [image({ mime: "image/png" })], settings: story }, ["photo"]],
    [
      "a story of a large video",
      { media: [video({ sizeBytes: 100_000_001 })], settings: story },
      ["video"],
    ],
    [
      "collaborators and place of a story",
      { settings: { ...story, collaborators: "a", location_id: "1" } },
      ["collaborators", "location_id"],
    ],
    [
      "everything at once",
      {
        title: "x".repeat(2_201),
        media: many(11),
        settings: { collaborators: "a,b,c,d", trial_reel: "auto" },
      },
      ["title", "photo", "collaborators", "trial_reel"],
    ],
  ])("%s", (_, change, fields) => {
    expect(fieldsOf(change)).toEqual(fields);
  });
});

test.each([
  ["#one #two", 2],
  ["#one#two", 2],
  ["#ñandú #東京 #a_b", 3],
  ["a#b &#39; https://a.com/#top # #", 0],
  ["(#one).#two", 2],
])("%j has %i hashtags", (caption, count) => {
  expect(countHashtags(caption)).toBe(count);
});

test.each([
  ["@ada, @b.c! (@d)", 3],
  ["mail ada@example.com or a.b@c.de", 0],
  ["https://a.com/@ada", 0],
])("%j has %i mentions", (caption, count) => {
  expect(countMentions(caption)).toBe(count);
});
